import Credentials
import ExposureKeys
import Running
import VerificationAPI

/// The key of the uploads' tags. Replicas share it.
struct UploadTagKey: Sendable {
    private let key: HashKey

    init(_ key: HashKey) { self.key = key }

    /// From the file that `secrets.tagKey` names, 64 hexadecimal digits.
    init(_ settings: Settings) throws {
        guard let key = HashKey(bytes: try settings.secretFile("secrets.tagKey")) else {
            throw ConfigurationProblem("secrets.tagKey must name a file of 64 hexadecimal digits (32 bytes).")
        }
        self.key = key
    }

    /// Keyed hashes over purpose, TAN and content. Padding, and the order in which the phone listed what it sent, don't
    /// matter.
    func tags(of content: UploadContent, for purpose: UploadPurpose, authorisedBy tan: TAN) -> UploadTags {
        var keys: [UInt8] = []
        keys.reserveCapacity(content.keys.count * KeyRecord.size)
        for key in content.keys { KeyRecord.append(key, to: &keys) }
        let upload = key.digest(
            for: "upload", Array(purpose.rawValue.utf8), tan.identifier.bytes, keys, content.reports.flatMap(\.bytes))
        return UploadTags(
            reservation: key.digest(for: "reservation", upload.bytes), inbox: key.digest(for: "inbox", upload.bytes))
    }
}

/// What stands for an upload in two databases. Neither tag leads to the other, even for somebody who has the key: both come
/// from a hash that is stored nowhere.
struct UploadTags: Sendable {
    /// For the verification server, which keeps it with the TAN's use.
    let reservation: Digest
    /// For the inbox.
    let inbox: Digest
}
