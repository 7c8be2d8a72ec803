import Credentials
import ExposureKeys
import Running
import Schema

/// The key for the uploads' tags. Replicas share it.
struct UploadTagKey: Sendable {
    private let key: HashKey

    init(_ key: HashKey) { self.key = key }

    /// From the file that `secrets.tagKey` names, 64 hexadecimal digits.
    init(_ settings: Settings) throws { key = try settings.hashKey("secrets.tagKey") }

    /// Days up to that of the youngest key whose keys count for the tag.
    private static let days = 13

    /// Keyed hashes over form, TAN and the data of the keys; of an upload without keys the TAN alone counts.
    ///
    /// Nothing else that apps send is the same in a repeat. Check-ins are encrypted anew at each attempt, and after midnight risk
    /// levels and days since onset are computed anew, while a key that became too old is left out
    /// (cwa-app-android, `SubmissionTask`, `CheckInsTransformer` and `ExposureKeyHistoryCalculations`). So keys of the oldest
    /// day that an upload can have don't count.
    func tags(of content: UploadContent, as form: UploadForm, authorisedBy tan: TAN) -> UploadTags {
        let youngest = content.keys.map(\.rollingPeriod.start).max()?.rawValue ?? 0
        let data = content.keys.filter {
            youngest - $0.rollingPeriod.start.rawValue < UInt32(Self.days) * IntervalNumber.perDay
        }.map(\.data).sorted()
        let upload = key.digest(
            for: "upload", Array(form.rawValue.utf8), tan.identifier.bytes, data.flatMap(\.bytes))
        return UploadTags(
            reservation: key.digest(for: "reservation", upload.bytes), inbox: key.digest(for: "inbox", upload.bytes))
    }
}

/// Identifies an upload in two databases.
///
/// Neither tag leads to the other, even with the key: both come from a hash that is stored nowhere.
struct UploadTags: Sendable {
    /// The tag for the verification server, which stores it with the TAN's use.
    let reservation: Digest
    /// The tag for the inbox.
    let inbox: Digest
}
