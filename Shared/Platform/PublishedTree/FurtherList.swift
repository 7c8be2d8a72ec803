/// A list that `further` publishes, in a folder or bucket of its own. Phones and browsers ask for it by its name alone, as the Further
/// app does: `/data`.
package enum FurtherList: String, Hashable, Sendable, CaseIterable {
    /// Who is positive, under the ids that phones know.
    case data
    /// The same answers under ids that are new in each list, for everybody else.
    case responses
    /// Which parts of the app are switched on.
    case features

    /// A request's list; nil for another path. A query is ignored.
    package init?(requested target: some StringProtocol) {
        guard target.first == "/" else { return nil }
        self.init(rawValue: String(target.dropFirst().prefix { $0 != "?" }))
    }

    /// The list's place.
    package var key: TreeKey { TreeKey("version/v1/further/\(rawValue)") }

    /// The place of the list compressed by gzip. It is written before the list.
    package var compressedKey: TreeKey { TreeKey("\(key.path).gz") }

    /// Whether pages of other hosts may read the list. Phones don't ask, and only they have a use for their ids.
    package var isForPages: Bool { self != .data }
}
