import AppAttest
import CompactJOSE
import Crypto
import FoundationEssentials
import SwiftASN1
import SwiftProtobuf

@testable import DonationFormat
@testable import ExposureFormat
@testable import FederationFormat
@testable import OfficerIdentity
@testable import PushFormat
@testable import TraceKeyFormat

/// Formats: what is accepted is answered in a form that another reader can compare with what it has read.
extension Verdicts {
    static let formatAnswers: [String: @Sendable (inout Case) throws -> String] = [
        "der": der, "pem": pem, "cms": cms, "jws": jws, "cbor": cbor, "protobuf": protobuf,
    ]

    private enum FormatProblem: Error { case refused, unknownMessage }

    /// One element, with everything in it; the answer is its tag and how many elements are in it.
    private static func der(_ one: inout Case) throws -> String {
        let bytes = try one.bytes()
        let node = try DER.parse(bytes)
        var coder = DER.Serializer()
        coder.serialize(node)
        precondition(coder.serializedBytes == bytes, "DER is written as it was read")
        return "\(elements(node))"
    }

    private static func elements(_ node: ASN1Node) -> Int {
        guard case .constructed(let nodes) = node.content else { return 1 }
        return nodes.reduce(1) { $0 + elements($1) }
    }

    /// The names and contents of all documents.
    private static func pem(_ one: inout Case) throws -> String {
        let documents = try PEMDocument.parseMultiple(pemString: try one.text())
        for document in documents {
            let again = try PEMDocument(pemString: document.pemString)
            precondition(again == document, "PEM that was read is written as the same document")
        }
        return documents.map { hexadecimal($0.discriminator.utf8) + ":" + hexadecimal($0.derBytes) }
            .joined(separator: " ")
    }

    /// Whether a detached signature is this certificate's: the signature, the certificate, what is signed.
    private static func cms(_ one: inout Case) throws -> String {
        let signature = try BatchSignature(one.bytes())
        let certificate = try FederationCertificate(der: one.bytes())
        try signature.verify(try one.bytes(), by: certificate)
        return ""
    }

    /// Whether a token is signed by a key of a set: the key as a JWK, the token. The answer is the payload.
    private static func jws(_ one: inout Case) throws -> String {
        let entry = try JSONDecoder().decode(ProviderKey.Entry.self, from: Data(try one.bytes()))
        guard let key = ProviderKey(entry), let token = CompactJWS(try one.text(), longest: 100_000),
            key.verifies(token)
        else { throw FormatProblem.refused }
        return hexadecimal(token.payload)
    }

    /// One item, which is written as it is read.
    private static func cbor(_ one: inout Case) throws -> String {
        let bytes = try one.bytes()
        guard let item = CBORItem(bytes) else { throw FormatProblem.refused }
        precondition(item.encoded == bytes, "CBOR is written as it was read")
        return ""
    }

    /// What others send, by the names of their schemas.
    private static let messages: [String: any Message.Type] = Dictionary(
        uniqueKeysWithValues: ([
            DonationFormat.WireDonationRequest.self, ExposureFormat.SubmissionPayload.self,
            ExposureFormat.TemporaryExposureKeyExport.self, ExposureFormat.TEKSignatureList.self,
            ExposureFormat.VenueReportUpload.self, ExposureFormat.SignedVenueReports.self,
            ExposureFormat.TraceWarningPackage.self, FederationFormat.WireDiagnosisKeyBatch.self,
            PushFormat.PushRegistration.self, TraceKeyFormat.ProblematicEventWrapper.self,
        ] as [any Message.Type]).map { ($0.protoMessageName, $0) })

    /// The message's name and its bytes; the answer is the known fields as they are written.
    private static func protobuf(_ one: inout Case) throws -> String {
        guard let type = messages[try one.text()] else { throw FormatProblem.unknownMessage }
        var options = BinaryDecodingOptions()
        options.discardUnknownFields = true
        return try written(type, try one.bytes(), options)
    }

    private static func written<M: Message>(
        _ type: M.Type, _ bytes: [UInt8], _ options: BinaryDecodingOptions
    ) throws -> String {
        let message = try M(serializedBytes: bytes, options: options)
        let written: [UInt8] = try message.serializedBytes()
        let again: [UInt8] = try M(serializedBytes: written).serializedBytes()
        precondition(again == written, "a message that was read is written as the same message")
        return hexadecimal(written)
    }
}
