import Crypto
import CryptoExtras
import FederationFormat
import FoundationEssentials
import SwiftASN1
import X509

/// Encodings of ASN.1, and certificates and keys in them.
extension DecoderTarget {
    /// One element, and every type that it may be a value of.
    static func der(_ bytes: Data) -> Verdict {
        let bytes = Array(bytes)
        guard let node = try? DER.parse(bytes) else { return .refused }
        var writer = DER.Serializer()
        write(node, to: &writer)
        guard writer.serializedBytes == bytes else { return .broken("it is written otherwise") }
        if let type = typeWrittenOtherwise(bytes) { return .broken("as \(type) it is written otherwise") }
        if let name = try? ASN1ObjectIdentifier(derEncoded: bytes), !name.description.contains(".") {
            return .broken("an identifier has one number")
        }
        if let number = try? Int(derEncoded: bytes), String(number).utf8.count > 20 { return .broken("it is too long") }
        _ = try? UTCTime(derEncoded: bytes)
        _ = try? GeneralizedTime(derEncoded: bytes)
        _ = try? DistinguishedName(derEncoded: bytes).description
        return .value
    }

    /// A type of which the bytes are a value that has another encoding, too.
    private static func typeWrittenOtherwise(_ bytes: [UInt8]) -> Any.Type? {
        func isSame<Value: DERParseable & DERSerializable>(_ type: Value.Type) -> Bool {
            guard let value = try? Value(derEncoded: bytes) else { return true }
            return value.derBytes == bytes
        }
        let types: [any (DERParseable & DERSerializable).Type] = [
            Bool.self, Int.self, ASN1Integer.self, ASN1Null.self, ASN1ObjectIdentifier.self, ASN1OctetString.self,
            ASN1BitString.self, ASN1Text.self, ASN1Any.self, AlgorithmIdentifier.self, SubjectPublicKeyInfo.self,
            RSAPublicKeyFields.self, RSAPrivateKeyFields.self, ECPrivateKeyFields.self, ECDSASignatureFields.self,
            DistinguishedName.self, Certificate.Extension.self, GeneralName.self,
        ]
        return types.first { !isSame($0) }
    }

    private static func write(_ node: ASN1Node, to writer: inout DER.Serializer) {
        switch node.content {
        case .primitive(let bytes): writer.appendPrimitiveNode(identifier: node.identifier, bytes)
        case .constructed(let nodes):
            writer.appendConstructedNode(identifier: node.identifier) { writer in
                for node in nodes { write(node, to: &writer) }
            }
        }
    }

    /// One element with indefinite and long lengths; written with the shortest ones, it is the same.
    static func ber(_ bytes: Data) -> Verdict {
        guard let node = try? BER.parse(Array(bytes)) else { return .refused }
        var writer = DER.Serializer()
        writer.serialize(node)
        let written = writer.serializedBytes
        guard let again = try? BER.parse(written) else { return .broken("written, it can't be read") }
        writer = DER.Serializer()
        writer.serialize(again)
        guard writer.serializedBytes == written, isSame(node, again) else {
            return .broken("read again, it is another element")
        }
        if let whole = try? ASN1OctetString(berEncoded: node), whole.bytes.count > bytes.count {
            return .broken("its pieces are longer than it")
        }
        return .value
    }

    private static func isSame(_ left: ASN1Node, _ right: ASN1Node) -> Bool {
        guard left.identifier == right.identifier else { return false }
        switch (left.content, right.content) {
        case (.primitive(let left), .primitive(let right)): return left == right
        case (.constructed(let left), .constructed(let right)):
            let (left, right) = (Array(left), Array(right))
            return left.count == right.count && zip(left, right).allSatisfy { isSame($0, $1) }
        default: return false
        }
    }

    /// Documents with text between them.
    static func pem(_ bytes: Data) -> Verdict {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let documents = try? PEMDocument.parseMultiple(pemString: text), !documents.isEmpty else {
            return .refused
        }
        let written = documents.map(\.pemString).joined(separator: "\n")
        guard (try? PEMDocument.parseMultiple(pemString: written)) == documents else {
            return .broken("read again, they are others")
        }
        return .value
    }

    /// A certificate, and what is asked of one.
    static func certificate(_ bytes: Data) -> Verdict {
        let bytes = Array(bytes)
        guard let certificate = try? Certificate(derEncoded: bytes) else { return .refused }
        guard certificate.derBytes == bytes,
            let document = try? certificate.serializeAsPEM(),
            (try? Certificate(pemEncoded: document.pemString)) == certificate
        else { return .broken("read again, it is another certificate") }
        guard certificate.issuer.derBytes.count + certificate.subject.derBytes.count < bytes.count,
            certificate.extensions.allSatisfy({ $0.value.count < bytes.count })
        else { return .broken("a part of it is longer than it") }
        let extensions = certificate.extensions
        if let why = [
            kept(try? extensions.keyUsage, KeyUsage.init),
            kept(try? extensions.basicConstraints, BasicConstraints.init),
            kept(try? extensions.extendedKeyUsage, ExtendedKeyUsage.init),
            kept(try? extensions.subjectAlternativeNames, SubjectAlternativeNames.init),
            kept(try? extensions.subjectKeyIdentifier, SubjectKeyIdentifier.init),
        ].compactMap({ $0 }).first {
            return .broken(why)
        }
        // Verifies a signature, of itself or not.
        _ = certificate.publicKey.isValidSignature(certificate.signature, for: certificate)
        _ = certificate.serialNumber.hexadecimal + certificate.subject.description
        if let ours = try? FederationCertificate(der: bytes), (try? FederationCertificate(pem: ours.pem)) != ours {
            return .broken("read again, it is another certificate of the federation")
        }
        return .value
    }

    /// Why an extension isn't what it was when it is written and read again.
    private static func kept<Value: CertificateExtensionConvertible & Equatable>(
        _ value: Value??, _ read: (Certificate.Extension) throws -> Value
    ) -> String? {
        guard case .some(.some(let value)) = value else { return nil }
        do {
            return try read(value.makeCertificateExtension()) == value ? nil : "read again, \(Value.self) is another"
        } catch {
            return "\(Value.self) can't be written and read again"
        }
    }

    /// A private key in PEM, without a password.
    static func privateKey(_ bytes: Data) -> Verdict {
        guard let key = try? Certificate.PrivateKey(pemEncoded: String(decoding: bytes, as: UTF8.self)) else {
            return .refused
        }
        guard let document = try? key.serializeAsPEM(),
            let again = try? Certificate.PrivateKey(pemEncoded: document.pemString),
            again.publicKey == key.publicKey, (try? again.serializeAsPEM()) == document
        else { return .broken("read again, it is another key") }
        return .value
    }

    /// A public key in PEM, of any kind.
    static func publicKey(_ bytes: Data) -> Verdict {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let key = try? Certificate.PublicKey(pemEncoded: text) else { return .refused }
        guard let document = try? PEMDocument(pemString: text),
            (try? Certificate.PublicKey(pemEncoded: document.pemString)) == key
        else { return .broken("read again, it is another key") }
        let written = [
            P256.Signing.PublicKey(key)?.pemRepresentation, P384.Signing.PublicKey(key)?.pemRepresentation,
            _RSA.Signing.PublicKey(key)?.pemRepresentation,
        ].compactMap { $0 }
        guard written.count < 2 else { return .broken("it is of two kinds") }
        return written.first ?? document.pemString == document.pemString ? .value : .broken("it is written otherwise")
    }
}
