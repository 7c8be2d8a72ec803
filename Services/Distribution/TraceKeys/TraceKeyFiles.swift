import FoundationEssentials
import PublishedTree
import TraceKeyFormat

/// The lists of trace keys in both forms and their index, from which download-server answers `GET /v3/traceKeys`.
///
/// A list has all keys that came in the two hours that begin with its tag, and in all later ones that are over. So when within two hours
/// a key came can't be told. The same keys at the same tag have the same bytes, since signatures are kept.
struct TraceKeyFiles: Sendable {
    /// The contents, in the order in which they are written: the index last, so that it names only what exists.
    private(set) var contents: [(key: TreeKey, content: [UInt8])] = []

    /// The header field that tells a phone its next tag.
    static let tagField = "x-key-bundle-tag"
    /// The header field with the ``ContentSignature``.
    static let signatureField = "signature"

    /// How long after two hours are over their keys are read, in seconds: until then a transaction that began in them may end.
    private static let grace: Int64 = 240
    /// How long a signature holds, in seconds: as long as a key is offered.
    private static let lifetime = Int64(TraceKey.daysKept) * 86_400

    /// The tag that phones get at a time: keys that came before it are published.
    static func newest(at now: Date) -> TraceKeyTag {
        TraceKeyTag(number: (Int64(now.timeIntervalSince1970) - grace) / TraceKeyTag.seconds)
    }

    /// - Parameter now: what time it is; expired keys are left out.
    init(_ stored: [StoredTraceKey], at now: Date, signedBy packages: PackageBuilder) async throws {
        let newest = Self.newest(at: now)
        let offered = stored.filter { $0.since < newest && !$0.key.hasExpired(at: now) }
        guard let index = TraceKeyIndex(offered.map(\.since) + [newest]) else { return }
        for tag in index.tags {
            let list = TraceKeyList(offered.filter { $0.since >= tag }.map(\.key))
            for form in TraceKeyForm.allCases {
                let body =
                    switch form {
                    case .json: try list.json()
                    case .protobuf: try list.protobuf()
                    }
                let signature = try ContentSignature(
                    of: body, issued: newest.number * TraceKeyTag.seconds, lifetime: Self.lifetime)
                let fields = [
                    PublishedAnswer.Field(Self.tagField, newest.text),
                    PublishedAnswer.Field(Self.signatureField, try await packages.token(of: signature)),
                ].compactMap(\.self)
                contents.append(
                    (TraceKeyIndex.file(tag, form), PublishedAnswer(fields: fields, body: body).bytes))
            }
        }
        contents.append((TraceKeyIndex.key, index.bytes))
    }
}

/// A trace key with the two hours in which it came.
struct StoredTraceKey: Sendable, Equatable {
    let key: TraceKey
    /// The tag at which they began.
    let since: TraceKeyTag
}
