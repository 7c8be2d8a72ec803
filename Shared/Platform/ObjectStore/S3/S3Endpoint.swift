import FoundationEssentials
import Running

/// The address of a bucket.
///
/// The bucket is the first part of the path (path-style addressing): every store supports it, and one certificate covers all
/// buckets.
struct S3Endpoint: Sendable {
    /// Scheme, host and port.
    let base: String
    /// The value of the signed header field `Host`.
    let host: String
    let bucket: String
    let region: String
    /// Path of a PEM file with the authorities that may have issued the store's certificate; nil for the system's.
    let authorities: String?

    /// From `s3.endpoint`, `s3.bucket`, `s3.region` and `s3.authorities`.
    init(_ settings: Settings) throws(ConfigurationProblem) {
        base = try settings.url("s3.endpoint")
        guard let separator = base.firstRange(of: "://") else {
            throw settings.wrong("s3.endpoint", "must be a URL such as https://s3.example.org")
        }
        host = String(base[separator.upperBound...])
        guard Self.isAuthority(host) else {
            throw settings.wrong("s3.endpoint", "must end with the host or its port; the bucket goes into s3.bucket")
        }
        guard base.hasPrefix("https://") || Self.isLoopback(host) else {
            throw settings.wrong(
                "s3.endpoint",
                "must begin with https: without TLS anybody on the network path decides what is published")
        }
        bucket = try settings.string("s3.bucket")
        guard Self.isBucket(bucket) else {
            throw settings.wrong(
                "s3.bucket",
                "must have 3 to 63 lower-case letters, digits, hyphens and dots, and begin and end with a "
                    + "letter or digit")
        }
        region = settings.string("s3.region", default: "eu-central-1")
        guard region.utf8.count <= 64,
            region.utf8.allSatisfy({ Self.isLowercaseOrDigit($0) || $0 == UInt8(ascii: "-") })
        else { throw settings.wrong("s3.region", "must be the name of a region such as eu-central-1") }
        authorities = settings.optionalString("s3.authorities") == nil ? nil : try settings.path("s3.authorities")
    }

    /// A host with or without a port; no user, path or query.
    private static func isAuthority(_ text: String) -> Bool {
        text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: ":"),
                UInt8(ascii: "["), UInt8(ascii: "]"):
                true
            default: isLowercaseOrDigit(byte)
            }
        }
    }

    private static func isLoopback(_ host: String) -> Bool {
        ["localhost", "127.0.0.1", "[::1]"].contains { host == $0 || host.hasPrefix("\($0):") }
    }

    private static func isBucket(_ name: String) -> Bool {
        guard (3...63).contains(name.utf8.count), let first = name.utf8.first, let last = name.utf8.last,
            isLowercaseOrDigit(first), isLowercaseOrDigit(last)
        else { return false }
        return name.utf8.allSatisfy { isLowercaseOrDigit($0) || [UInt8(ascii: "-"), UInt8(ascii: ".")].contains($0) }
    }

    private static func isLowercaseOrDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
