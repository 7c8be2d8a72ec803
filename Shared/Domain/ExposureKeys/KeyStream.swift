/// The way that folded keys go: through the home country alone, or to other countries as well, whose apps their owners agreed to warn.
///
/// An hour's keys of each stream are filled up to a size class of their own, and then joined. So whoever has what was published here and
/// what other countries got sees two sets that both have fillers: the difference names neither fillers nor people. The stream is all that
/// the fold leaves of a person's consent.
package enum KeyStream: CaseIterable, Hashable, Sendable, BitwiseCopyable {
    /// Published at home only.
    case home
    /// Published at home, and given to other countries.
    case federated
}

/// A key on its way.
package struct StreamedKey: Hashable, Sendable, BitwiseCopyable {
    /// The key.
    package let key: DiagnosisKey
    /// Where it goes.
    package let stream: KeyStream

    /// Puts a key on its way.
    package init(_ key: DiagnosisKey, _ stream: KeyStream) {
        self.key = key
        self.stream = stream
    }
}

extension StreamedKey: Comparable {
    /// By the key alone: the order of a table that holds both streams tells nothing about them.
    package static func < (left: StreamedKey, right: StreamedKey) -> Bool { left.key < right.key }
}
