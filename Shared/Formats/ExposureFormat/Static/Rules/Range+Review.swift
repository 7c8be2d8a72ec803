extension WireRange {
    /// Whether the range contains no number, or an end isn't finite.
    fileprivate var isEmpty: Bool {
        guard min.isFinite, max.isFinite else { return true }
        return min == max ? minExclusive || maxExclusive : min > max
    }

    /// Whether every number in the range is smaller than every number in the other.
    fileprivate func lies(below other: WireRange) -> Bool {
        max == other.min ? maxExclusive || other.minExclusive : max < other.min
    }

    /// As the apps read it.
    func contains(_ value: Double) -> Bool {
        (minExclusive ? value > min : value >= min) && (maxExclusive ? value < max : value <= max)
    }

    func review(_ review: inout MessageReview) {
        review.requireFinite(min, "min")
        review.requireFinite(max, "max")
        guard min.isFinite, max.isFinite else { return }
        review.require(!isEmpty, "max", "must not be less than min, and not equal where an end is exclusive")
    }
}

extension MessageReview {
    /// Requires a range: a missing one would be read as the number 0 alone.
    mutating func requireRange(_ range: WireRange, given: Bool, _ field: String) {
        requirePresence(given, field, range.review)
    }

    /// Requires disjoint ranges: with an overlap, phones would choose a range arbitrarily.
    mutating func requireDisjoint(_ ranges: [WireRange], _ field: String) {
        let sorted = ranges.filter { !$0.isEmpty }.sorted {
            $0.min == $1.min ? !$0.minExclusive && $1.minExclusive : $0.min < $1.min
        }
        require(
            zip(sorted, sorted.dropFirst()).allSatisfy { $0.lies(below: $1) }, field,
            "must have ranges that don't overlap")
    }
}
