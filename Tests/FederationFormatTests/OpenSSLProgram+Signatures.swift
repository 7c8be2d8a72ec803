import Crypto
import FederationFormat
import TestPrograms

/// The kinds of keys that sign batches, as `openssl req -newkey` makes them.
enum SigningKind: String, CaseIterable, Sendable {
    case p256 = "ec -pkeyopt ec_paramgen_curve:P-256"
    case p384 = "ec -pkeyopt ec_paramgen_curve:P-384"
    case rsa = "rsa:3072"
}

extension OpenSSLProgram {
    /// Makes a key, `key.pem`, and a certificate that it signs itself, `certificate.pem`.
    func makeKey(_ kind: String, named prefix: String = "") throws {
        try self(
            "req -x509 -nodes -sha256 -days 30 -subj /C=DE/CN=signing -newkey \(kind)".words
                + ["-keyout", "\(prefix)key.pem", "-out", "\(prefix)certificate.pem"])
    }

    /// The key and the certificate that it made.
    func signingKey() throws -> BatchSigningKey {
        try BatchSigningKey(
            pem: text("key.pem"), certificate: FederationCertificate(pem: text("certificate.pem")))
    }

    /// Signs the file `content` with its key.
    func sign(_ options: String, to name: String) throws -> [UInt8] {
        try self(
            "cms -sign -binary -md sha256 -signer certificate.pem -inkey key.pem \(options) -in content -outform DER"
                .words
                + ["-out", name])
        return try read(name)
    }

    /// Whether the file `signature` is its key's over a file.
    func verifies(_ content: String = "content") throws -> Bool {
        try run(
            "cms -verify -binary -inform DER -in signature -content \(content) -noverify -nointern "
                + "-certfile certificate.pem -out /dev/null")
    }
}

extension String {
    fileprivate var words: [String] { split(separator: " ").map(String.init) }
}
