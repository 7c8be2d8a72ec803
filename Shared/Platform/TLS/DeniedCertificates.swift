import Crypto
import FoundationEssentials
package import Running

/// The certificates that nobody accepts, although a trusted authority has signed them.
///
/// The file has one certificate a line, identified by the SHA-256 fingerprint of its DER form, as
/// `openssl x509 -noout -fingerprint -sha256` prints it: 64 hexadecimal digits with or without colons, optionally after
/// `sha256 Fingerprint=`. A `#` starts a comment. A fingerprint identifies one certificate, whoever signed it; a serial number
/// is unique only for its authority.
package struct DeniedCertificates: Sendable {
    private let fingerprints: Set<[UInt8]>

    /// The empty list, if no file is configured.
    package static let none = DeniedCertificates(fingerprints: [])

    private init(fingerprints: Set<[UInt8]>) {
        self.fingerprints = fingerprints
    }

    /// - Throws: ``TLSFlaw/denied`` for a line that isn't a fingerprint, for an unterminated last line, and for an empty file.
    ///   A missing or half-written file must not admit denied callers.
    package init(_ bytes: [UInt8]) throws(TLSFlaw) {
        guard bytes.last == UInt8(ascii: "\n") else { throw .denied }
        var fingerprints: Set<[UInt8]> = []
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let text = line.prefix { $0 != "#" }.filter { !$0.isWhitespace }
            if text.isEmpty { continue }
            guard let fingerprint = Self.fingerprint(text.lowercased()) else { throw .denied }
            fingerprints.insert(fingerprint)
        }
        self.init(fingerprints: fingerprints)
    }

    private static func fingerprint(_ text: String) -> [UInt8]? {
        let digits = (text.hasPrefix("sha256fingerprint=") ? text.dropFirst(18) : text[...]).filter { $0 != ":" }
        return Settings.bytes(hexadecimal: Data(digits.utf8)).flatMap { $0.count == SHA256.byteCount ? $0 : nil }
    }

    /// Whether the list has a certificate with this fingerprint.
    package func contains(_ fingerprint: [UInt8]) -> Bool {
        !fingerprints.isEmpty && fingerprints.contains(fingerprint)
    }
}
