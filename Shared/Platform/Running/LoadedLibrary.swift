import Glibc

/// A library of the system that this process has loaded: one of those that Debian patches without a build of ours.
package struct LoadedLibrary: Equatable {
    /// What it is called.
    package let name: String
    /// What it says of itself.
    package let version: String
    /// Debian's package and its revision, such as `libcurl4 7.88.1-10+deb12u14`; nil where there is none.
    ///
    /// Debian patches a library without changing ``version``, so that only the revision shows that an update has arrived.
    package let revision: String?

    /// Those that handle what strangers send, if they are loaded.
    ///
    /// The dynamic linker is asked, so that no program lists what it is linked with.
    package static var all: [LoadedLibrary] {
        [
            // OPENSSL_VERSION_STRING; `OpenSSL_version(3)`.
            library("OpenSSL", "OpenSSL_version", "libssl3") { symbol in
                unsafeBitCast(symbol, to: (@convention(c) (Int32) -> UnsafePointer<CChar>?).self)(6)
                    .map { String(cString: $0) }
            },
            // Such as `libcurl/7.88.1 OpenSSL/3.0.20 …`; `curl_version(3)`.
            library("libcurl", "curl_version", "libcurl4") { symbol in
                unsafeBitCast(symbol, to: (@convention(c) () -> UnsafePointer<CChar>?).self)()
                    .map { String(String(cString: $0).drop { $0 != "/" }.dropFirst().prefix { $0 != " " }) }
            },
            // The text follows two numbers; `nghttp2_version(3)`.
            library("nghttp2", "nghttp2_version", "libnghttp2-14") { symbol in
                typealias Info = (age: Int32, number: Int32, text: UnsafePointer<CChar>?)
                let version = unsafeBitCast(symbol, to: (@convention(c) (Int32) -> UnsafeRawPointer?).self)
                return version(0)?.load(as: Info.self).text.map { String(cString: $0) }
            },
            // 150018 is 15.18; PostgreSQL's manual, 34.12.
            library("libpq", "PQlibVersion", "libpq5") { symbol in
                let number = unsafeBitCast(symbol, to: (@convention(c) () -> Int32).self)()
                return "\(number / 10_000).\(number % 10_000)"
            },
        ].compactMap { $0 }
    }

    /// One line for a person.
    package var line: String { "\(name) \(version)" + (revision.map { " (\($0))" } ?? "") }

    private static func library(
        _ name: String, _ function: String, _ package: String, version: (UnsafeMutableRawPointer) -> String?
    ) -> Self? {
        guard let symbol = dlsym(nil, function), let version = version(symbol) else { return nil }
        return Self(name: name, version: version, revision: installed(package))
    }

    /// A package and its revision. From Debian 13 on some names end with `t64`.
    private static func installed(_ name: String) -> String? {
        guard let status = try? RegularFile.read("/var/lib/dpkg/status", limit: 64 << 20) else { return nil }
        var current: Substring = ""
        for line in status.split(separator: UInt8(ascii: "\n")) {
            let line = Substring(decoding: line, as: UTF8.self)
            if line.hasPrefix("Package: ") { current = line.dropFirst(9) }
            if line.hasPrefix("Version: "), current == name || current == name + "t64" {
                return "\(current) \(line.dropFirst(9))"
            }
        }
        return nil
    }
}
