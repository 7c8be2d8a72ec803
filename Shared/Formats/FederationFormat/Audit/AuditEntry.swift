import FoundationEssentials
import StrictJSON

/// An upload that is part of a batch, as the gateway's audit describes it (efgs-federation-gateway, `AuditEntry`).
///
/// All of it is foreign input: ``BatchAudit`` says what can be believed.
package struct AuditEntry: Hashable, Sendable, Codable {
    /// The uploader.
    package var country: String?
    /// When the gateway took the upload, as text.
    package var uploadedTime: String?
    /// SHA-256 of the certificate for TLS, in hexadecimal digits.
    package var uploaderThumbprint: String?
    /// PEM; nil if the gateway doesn't know the certificate any more.
    package var uploaderCertificate: String?
    /// SHA-256 of the certificate that signed the batch.
    package var uploaderSigningThumbprint: String?
    /// By the trust anchor, over ``uploaderCertificate``, in Base64.
    package var uploaderOperatorSignature: String?
    /// PEM; nil if the gateway doesn't know the certificate any more.
    package var signingCertificate: String?
    /// By the trust anchor, over ``signingCertificate``, in Base64.
    package var signingCertificateOperatorSignature: String?
    /// How many keys of the batch are of this upload.
    package var amount: Int?
    /// A ``BatchSignature``, in Base64.
    package var batchSignature: String?

    /// An entry, all of whose values may be missing.
    package init(
        country: String? = nil, uploadedTime: String? = nil, uploaderThumbprint: String? = nil,
        uploaderCertificate: String? = nil, uploaderSigningThumbprint: String? = nil,
        uploaderOperatorSignature: String? = nil, signingCertificate: String? = nil,
        signingCertificateOperatorSignature: String? = nil, amount: Int? = nil, batchSignature: String? = nil
    ) {
        self.country = country
        self.uploadedTime = uploadedTime
        self.uploaderThumbprint = uploaderThumbprint
        self.uploaderCertificate = uploaderCertificate
        self.uploaderSigningThumbprint = uploaderSigningThumbprint
        self.uploaderOperatorSignature = uploaderOperatorSignature
        self.signingCertificate = signingCertificate
        self.signingCertificateOperatorSignature = signingCertificateOperatorSignature
        self.amount = amount
        self.batchSignature = batchSignature
    }

    /// As many uploads of one key each as a batch has keys.
    package static let most = ReceivedBatch.mostKeys

    /// Reads the body of an audit; nil if it isn't a list, or too long. An entry that can't be read becomes one without
    /// values.
    /// - Parameter limit: of the body, in bytes.
    package static func list(json body: [UInt8], limit: Int) -> [AuditEntry]? {
        guard body.count <= limit, let list = try? StrictJSON.decode([Lenient].self, from: Data(body)),
            list.count <= most
        else { return nil }
        return list.map(\.entry)
    }

    /// As the gateway sends it, with `null` for what is missing.
    package static func json(_ entries: [AuditEntry]) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(entries))
    }

    private enum CodingKeys: String, CodingKey {
        case country, uploadedTime, uploaderThumbprint, uploaderCertificate, uploaderSigningThumbprint
        case uploaderOperatorSignature, signingCertificate, signingCertificateOperatorSignature, amount, batchSignature
    }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(country, forKey: .country)
        try members.encode(uploadedTime, forKey: .uploadedTime)
        try members.encode(uploaderThumbprint, forKey: .uploaderThumbprint)
        try members.encode(uploaderCertificate, forKey: .uploaderCertificate)
        try members.encode(uploaderSigningThumbprint, forKey: .uploaderSigningThumbprint)
        try members.encode(uploaderOperatorSignature, forKey: .uploaderOperatorSignature)
        try members.encode(signingCertificate, forKey: .signingCertificate)
        try members.encode(signingCertificateOperatorSignature, forKey: .signingCertificateOperatorSignature)
        try members.encode(amount, forKey: .amount)
        try members.encode(batchSignature, forKey: .batchSignature)
    }

    private struct Lenient: Decodable {
        let entry: AuditEntry

        init(from decoder: any Decoder) { entry = (try? AuditEntry(from: decoder)) ?? AuditEntry() }
    }
}
