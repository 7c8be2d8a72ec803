import SwiftASN1

/// A request for a certificate (PKCS #10, RFC 2986), whose sender has proved to hold the private key.
///
/// The subject's name and the attributes aren't looked at beyond their form: whoever signs decides what the certificate says.
package struct CertificateRequest: Sendable {
    /// Why a request isn't one that can be signed.
    package enum Problem: Error, Hashable, Sendable {
        /// More bytes than ``CertificateRequest/longest``.
        case tooLong
        /// Neither PEM with exactly one request nor DER, or not of the form that RFC 2986 gives.
        case malformed
        /// Another key than one on P-256, on P-384 or of RSA with 2,048 to 8,192 bits and an exponent of at least 65,537.
        case unsupportedKey
        /// The signature isn't that of the key, or of an algorithm with SHA-1 or less.
        case wrongSignature
    }

    /// The longest file, in bytes: several times as long as a request with a key of RSA with 8,192 bits.
    package static let longest = 16 << 10
    /// In bits. Every handshake verifies a signature of the key.
    private static let longestRSA = 8192

    /// The key that the certificate is wanted for.
    package let publicKey: Certificate.PublicKey

    /// Reads PEM or DER and verifies the signature.
    ///
    /// Text around a document in PEM doesn't count: `openssl req -text` writes some.
    package init(_ file: [UInt8]) throws(Problem) {
        guard file.count <= Self.longest else { throw .tooLong }
        guard let fields = try? Fields(Self.der(of: file)) else { throw .malformed }
        guard fields.publicKey.isFitForRequests(upTo: Self.longestRSA) else { throw .unsupportedKey }
        guard
            fields.publicKey.isValidSignature(fields.signature, by: fields.algorithm, over: fields.signedBytes)
        else { throw .wrongSignature }
        publicKey = fields.publicKey
    }

    /// A sequence in DER begins with 0x30, a text in PEM with that only if `0` is its first character, which is no request then.
    private static func der(of file: [UInt8]) throws -> [UInt8] {
        guard file.first != 0x30 else { return file }
        guard let text = String(validating: file, as: UTF8.self) else { throw Problem.malformed }
        let document = try PEMDocument(pemString: text)
        // The second is what older tools write (RFC 7468, section 7).
        guard ["CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST"].contains(document.discriminator) else {
            throw Problem.malformed
        }
        return document.derBytes
    }

    /// A CertificationRequest (RFC 2986, section 4).
    private struct Fields {
        let publicKey: Certificate.PublicKey
        let signedBytes: ArraySlice<UInt8>
        let algorithm: Certificate.SignatureAlgorithm
        let signature: Certificate.Signature

        init(_ der: [UInt8]) throws {
            let (info, algorithm, signature) = try DER.sequence(DER.parse(der), identifier: .sequence) { nodes in
                guard let info = nodes.next() else { throw Problem.malformed }
                return (
                    info, try AlgorithmIdentifier(derEncoded: &nodes), try ASN1BitString(derEncoded: &nodes).wholeBytes
                )
            }
            signedBytes = info.encodedBytes
            self.algorithm = Certificate.SignatureAlgorithm(algorithm)
            self.signature = Certificate.Signature(bytes: signature)
            publicKey = try DER.sequence(info, identifier: .sequence) { nodes in
                guard try Int(derEncoded: &nodes) == 0, let subject = nodes.next() else { throw Problem.malformed }
                for level in try subject.children(.sequence) {
                    try Self.checkSet(level) { try Self.checkPair($0) { _ in } }
                }
                let key = try SubjectPublicKeyInfo(derEncoded: &nodes)
                guard let attributes = nodes.next() else { throw Problem.malformed }
                for attribute in try attributes.children(.context(0)) {
                    try Self.checkPair(attribute) { try Self.checkSet($0) { _ in } }
                }
                return try Certificate.PublicKey(key)
            }
        }

        /// A name's type with its value, or an attribute's with its values (RFC 5280, section 4.1.2.4; RFC 2986, section 4.1).
        private static func checkPair(_ node: ASN1Node, _ checkValue: (ASN1Node) throws -> Void) throws {
            try DER.sequence(node, identifier: .sequence) { nodes in
                _ = try ASN1ObjectIdentifier(derEncoded: &nodes)
                guard let value = nodes.next() else { throw Problem.malformed }
                try checkValue(value)
            }
        }

        /// A set with one element at least.
        private static func checkSet(_ node: ASN1Node, _ checkElement: (ASN1Node) throws -> Void) throws {
            var isEmpty = true
            for element in try node.children(.set) {
                isEmpty = false
                try checkElement(element)
            }
            guard !isEmpty else { throw Problem.malformed }
        }
    }
}
