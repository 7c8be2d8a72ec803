import PublishedTree

/// `GET /v3/traceKeys?lastKeyBundleTag=…`, as SwissCovid's phones ask for trace keys (swisscovid-cn-backend).
struct TraceKeyQuery: Equatable {
    /// The tag that the last answer gave the phone, as it was sent; nil if it has none yet, which an empty value says, too.
    let lastTag: String?

    private static let path = "/v3/traceKeys"
    private static let name = "lastKeyBundleTag"

    /// Nil for another path. Other parameters are ignored; a tag that is there twice is no tag.
    init?(_ target: String) {
        guard target.hasPrefix(Self.path) else { return nil }
        let rest = target.dropFirst(Self.path.count)
        guard rest.isEmpty || rest.first == "?" else { return nil }
        let tags = rest.dropFirst().split(separator: "&").filter { $0.prefix { $0 != "=" } == Self.name }.map {
            $0.dropFirst(Self.name.count + 1)
        }
        lastTag = tags.count > 1 ? "several" : tags.first.flatMap { $0.isEmpty ? nil : String($0) }
    }

    /// The object that has the answer; nil for a tag that no answer gave.
    func object(in index: TraceKeyIndex, _ form: TraceKeyForm) -> TreeKey? {
        guard let lastTag else { return index.file(since: nil, form) }
        return TraceKeyTag(lastTag).flatMap { index.file(since: $0, form) }
    }
}
