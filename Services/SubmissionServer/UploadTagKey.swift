import Credentials
import ExposureKeys
import ServiceKit
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

    /// A keyed hash over purpose, TAN and content. Padding, and the order in which the phone listed what it sent, don't
    /// matter.
    func tag(of content: UploadContent, for purpose: UploadPurpose, authorisedBy tan: TAN) -> Digest {
        var keys: [UInt8] = []
        keys.reserveCapacity(content.keys.count * KeyRecord.size)
        for key in content.keys { KeyRecord.append(key, to: &keys) }
        return key.digest(
            for: "upload", Array(purpose.rawValue.utf8), tan.identifier.bytes, keys, content.reports.flatMap(\.bytes))
    }
}
