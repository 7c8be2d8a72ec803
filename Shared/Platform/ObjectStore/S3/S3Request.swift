import HTTPTypes

/// A request to an S3 store, as it is signed and as it is sent.
struct S3Request: Sendable {
    let method: HTTPRequest.Method
    /// The path with a leading slash, not percent-encoded.
    let path: String
    /// Neither names nor values are percent-encoded.
    let query: [Parameter]
    /// Names in lower case, each at most once; values without leading or trailing spaces.
    let fields: [Field]
    /// The digest in lower-case hexadecimal.
    let bodySHA256: String

    struct Parameter: Sendable {
        let name: String
        let value: String
    }

    struct Field: Sendable {
        let name: String
        let value: String
    }

    /// Whether the answer's body is an object: requests for anything else have parameters.
    var readsObject: Bool { method == .get && query.isEmpty }

    /// The path as S3 expects it: encoded once, with segments such as `..` and empty ones kept, because a key may have
    /// them.
    var encodedPath: String { Self.encoded(path, except: UInt8(ascii: "/")) }

    /// The parameters, sorted by their encoded names.
    var encodedQuery: String {
        query.map { (name: Self.encoded($0.name), value: Self.encoded($0.value)) }
            .sorted { $0 < $1 }
            .map { "\($0.name)=\($0.value)" }
            .joined(separator: "&")
    }

    /// The part of the URL after the host. It is the signed text itself, so the two can't differ.
    var target: String { query.isEmpty ? encodedPath : "\(encodedPath)?\(encodedQuery)" }

    /// All but letters, digits, `-`, `.`, `_` and `~` as `%` and two upper-case digits.
    private static func encoded(_ text: String, except kept: UInt8? = nil) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"), kept:
                bytes.append(byte)
            default:
                let digits = Array("0123456789ABCDEF".utf8)
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
