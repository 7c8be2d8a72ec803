import DevelopmentGatewayAPI
import ExposureKeys
import FederationFormat
import FoundationEssentials
import HTTPTypes
import Running

/// `GET /diagnosiskeys/audit/download/{date}/{batchTag}` (efgs-federation-gateway, `AuditController`): an entry for each upload in
/// the batch, the caller's own ones too.
extension SimulatedGateway {
    func audit(
        _ date: String, _ tag: String, for country: CountryCode, _ fault: GatewayBehaviour.Fault = .none
    ) async throws -> [AuditEntry] {
        let now = clock.now
        let day = try requested(date, at: now)
        let (uploads, table) = try state.with(at: now) { contents throws(Refusal) in
            guard let batch = contents.batch(tag) else {
                throw Refusal(.notFound, "Could not find batch with given BatchTag")
            }
            guard Day(containing: batch.created) == day else {
                throw Refusal(.notFound, "Given date does not match the requested batch")
            }
            return (batch.uploads, contents.table)
        }
        // A batch stays when its keys are deleted.
        guard !uploads.isEmpty, fault != .withoutAudit else { throw Refusal(.notFound, "Batchtag not found") }
        var entries = uploads.map { Self.entry(for: $0, by: table) }
        switch fault {
        case .wrongAmount:
            let place = uploads.firstIndex { $0.uploader.country != country } ?? 0
            entries[place].amount = uploads[place].keys.count + 1
        case .otherSignature:
            for (place, upload) in uploads.enumerated() {
                guard let signer = try countries[upload.uploader.country]?.signing.signer else { continue }
                // That of a batch without keys.
                entries[place].batchSignature = try await BatchSignature.make(over: [], by: signer).field
            }
        case .untrusted:
            for place in entries.indices {
                entries[place].uploaderOperatorSignature = try entries[place].uploaderCertificate
                    .map { try otherAnchor.sign($0) }
                entries[place].signingCertificateOperatorSignature = try entries[place].signingCertificate
                    .map { try otherAnchor.sign($0) }
            }
        case .withoutCertificates:
            for place in entries.indices {
                entries[place].uploaderCertificate = nil
                entries[place].uploaderOperatorSignature = nil
                entries[place].signingCertificate = nil
                entries[place].signingCertificateOperatorSignature = nil
            }
        default: break
        }
        return entries
    }

    /// Certificates that the gateway doesn't know any more are left out; revoked ones aren't.
    private static func entry(for upload: StoredUpload, by table: CertificateTable) -> AuditEntry {
        let country = upload.uploader.country
        let authentication = table.row(upload.uploader.thumbprint, of: country, .authentication)
        let signing = table.row(upload.signingThumbprint, of: country, .signing)
        return AuditEntry(
            country: country.text,
            uploadedTime: upload.uploaded.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)),
            uploaderThumbprint: upload.uploader.thumbprint, uploaderCertificate: authentication?.pem,
            uploaderSigningThumbprint: upload.signingThumbprint, uploaderOperatorSignature: authentication?.signature,
            signingCertificate: signing?.pem, signingCertificateOperatorSignature: signing?.signature,
            amount: upload.keys.count, batchSignature: upload.signature)
    }
}
