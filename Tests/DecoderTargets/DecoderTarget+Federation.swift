import ExposureKeys
import FederationAPI
import FederationFormat
import FoundationEssentials
import HTTPContract

/// What the federation gateway sends, and other countries through it.
extension DecoderTarget {
    private static let bodyLimit = 1_000_000

    static func federationBatchProtobuf(_ bytes: Data) -> Verdict {
        guard let batch = try? ReceivedBatch(protobuf: Array(bytes), limit: bodyLimit) else { return .refused }
        return judge(batch)
    }

    static func federationBatchJSON(_ bytes: Data) -> Verdict {
        guard let batch = try? ReceivedBatch(json: Array(bytes), limit: bodyLimit) else { return .refused }
        return judge(batch)
    }

    /// Good keys, written in both forms, are read as the same ones. A batch without one was refused key by key.
    private static func judge(_ batch: ReceivedBatch) -> Verdict {
        guard batch.records.count == batch.entries.count,
            batch.keys.count + batch.flaws.values.reduce(0, +) == batch.entries.count
        else { return .broken("it has other numbers of keys and records") }
        guard let again = KeyBatch(batch.keys) else { return .broken("it has more keys than a batch") }
        guard let protobuf = try? ReceivedBatch(protobuf: again.protobuf(), limit: bodyLimit),
            let json = try? ReceivedBatch(json: again.json(), limit: bodyLimit)
        else { return .broken("it can't be written and read again") }
        guard protobuf.keys == again.keys, json == protobuf, Set(again.keys) == Set(batch.keys) else {
            return .broken("read again, it is another batch")
        }
        guard KeyRecords(again.keys.map { UncheckedKey($0) }) == protobuf.records else {
            return .broken("its records are others")
        }
        for key in again.keys { _ = key.imported }
        return batch.entries.isEmpty || !again.keys.isEmpty ? .value : .refused
    }

    /// The query of a callback, as the listener reads it.
    static func federationCallback(_ bytes: Data) -> Verdict {
        guard let query = try? URLEncodedValues(decoding: String(decoding: bytes, as: UTF8.self)[...]) else {
            return .refused
        }
        let message = EncodedMessage(parameters: ["batchTag": query["batchTag"] ?? "", "date": query["date"] ?? ""])
        guard let announcement = try? BatchAnnouncement(message) else { return .refused }
        let again = try? BatchAnnouncement(announcement.encoded())
        return again == announcement ? .value : .broken("read again, it is another announcement")
    }

    /// An audit, whose certificates and signatures a search wouldn't find: nobody is trusted, and no key is lost.
    static func federationAudit(_ bytes: Data) -> Verdict {
        guard let entries = AuditEntry.list(json: Array(bytes), limit: bodyLimit) else { return .refused }
        guard let json = try? AuditEntry.json(entries), AuditEntry.list(json: json, limit: 2 * bodyLimit) == entries
        else { return .broken("it can't be written and read again") }
        for entry in entries {
            guard let pem = entry.signingCertificate, let certificate = try? FederationCertificate(pem: pem) else {
                continue
            }
            guard (try? FederationCertificate(pem: certificate.pem)) == certificate else {
                return .broken("read again, it is another certificate")
            }
            guard let own = CountryCode("AT"), let anchor = try? TrustAnchor(certificate),
                let batch = try? ReceivedBatch(protobuf: [], limit: 0)
            else { continue }
            let audit = BatchAudit(
                of: batch, entries, trusting: anchor, own: own, at: Date(timeIntervalSince1970: 1_795_521_600))
            guard audit.verdicts.count == entries.count, audit.verified.isEmpty else {
                return .broken("it trusts keys that aren't there")
            }
        }
        return .value
    }

    /// A batch's signature, read only: it isn't one over these bytes by any certificate that comes with it.
    static func federationSignature(_ bytes: Data) -> Verdict {
        guard let signature = try? BatchSignature(Array(bytes)) else { return .refused }
        guard (try? BatchSignature(field: signature.field)) == signature else {
            return .broken("read again, it is another signature")
        }
        for certificate in signature.certificates
        where (try? signature.verify(Array("not what was signed".utf8), by: certificate)) != nil {
            return .broken("it covers other bytes")
        }
        return .value
    }

    /// The answer 207 to an upload of ten keys.
    static func federationUploadAnswer(_ bytes: Data) -> Verdict {
        guard let answer = UploadAnswer(json: Array(bytes), of: 10) else { return .refused }
        guard answer.new.count + answer.known.count + answer.failed.count + answer.unnamed.count == 10 else {
            return .broken("it names other keys than there are")
        }
        guard let json = try? answer.json() else { return .broken("it can't be written") }
        return UploadAnswer(json: json, of: 10) == answer ? .value : .broken("read again, it is another answer")
    }
}
