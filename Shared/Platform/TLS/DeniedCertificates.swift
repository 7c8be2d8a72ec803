import Crypto
import FoundationEssentials
package import NIOSSL
import Running

/// The certificates that no listener accepts, although an authority that we trust has signed them.
///
/// The file has one certificate a line, by the SHA-256 fingerprint of its DER form, as `openssl x509 -noout -fingerprint
/// -sha256` prints it: 64 hexadecimal digits with or without colons, perhaps behind `sha256 Fingerprint=`. What follows a
/// `#` is a comment. A fingerprint names one certificate, whoever signed it; a serial number only does so together with its
/// authority.
struct DeniedCertificates: Sendable {
    private let fingerprints: Set<[UInt8]>

    /// Where no file is named.
    static let none = DeniedCertificates(fingerprints: [])

    private init(fingerprints: Set<[UInt8]>) {
        self.fingerprints = fingerprints
    }

    /// - Throws: ``TLSFlaw/denied`` for a line that is no fingerprint, for a last line without an end, and for a file without a
    ///   line: one that is gone, or half written, must not admit denied callers.
    init(_ bytes: [UInt8]) throws(TLSFlaw) {
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

    /// Whether a certificate with this fingerprint is on the list.
    func contains(_ fingerprint: [UInt8]) -> Bool {
        !fingerprints.isEmpty && fingerprints.contains(fingerprint)
    }
}

extension NIOSSLCertificate {
    /// SHA-256 of the DER form; nil if the library can't give it.
    package var fingerprint: [UInt8]? {
        (try? toDERBytes()).map { Array(SHA256.hash(data: $0)) }
    }
}
