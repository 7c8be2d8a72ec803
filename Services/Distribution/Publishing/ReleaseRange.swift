import ExposureKeys

/// Where a key stands: the hour in which it was folded or imported, and the first whose package may have it.
///
/// Of an hour that took keys these are the last of both kinds: it has every key that isn't beyond them in either.
struct Release: Hashable, Sendable {
    let stored: Hour
    let released: Hour

    /// Whether it isn't beyond another one.
    func isWithin(_ other: Release) -> Bool { stored <= other.stored && released <= other.released }
}

/// What came after one hour that took keys (nil: from the beginning), up to and including another one.
struct ReleaseRange: Sendable, Equatable {
    let after: Release?
    let through: Release

    func contains(_ release: Release) -> Bool {
        release.isWithin(through) && after.map { !release.isWithin($0) } ?? true
    }
}

extension ReleaseRange {
    /// Of keys and reports that are complete with their hour.
    init(after: Hour?, through: Hour) {
        self.init(
            after: after.map { Release(stored: $0, released: $0) },
            through: Release(stored: through, released: through))
    }

    /// Several that follow each other, as one; nil for none.
    init?(joining ranges: [ReleaseRange]) {
        guard let first = ranges.first, let last = ranges.last else { return nil }
        self.init(after: first.after, through: last.through)
    }
}
