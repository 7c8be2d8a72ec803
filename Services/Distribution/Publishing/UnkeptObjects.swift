import PublishedTree
import Running

/// The store confirmed objects that it doesn't have afterwards, or has with other content. No index names them.
struct UnkeptObjects: OperatorProblem, Equatable {
    /// In order.
    let keys: [TreeKey]

    /// Nil without keys.
    init?(_ keys: some Sequence<TreeKey>) {
        self.keys = keys.sorted()
        guard !self.keys.isEmpty else { return nil }
    }

    var description: String {
        "The store confirmed \(keys.count) \(keys.count == 1 ? "object" : "objects"), such as \(keys[0].path), that it doesn't have as "
            + "they were written; no index names them; check the store and what is between it and this machine."
    }
}
