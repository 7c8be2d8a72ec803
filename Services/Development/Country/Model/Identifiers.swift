/// A person of the country, by number from 0 on. The members of a household have consecutive numbers.
package struct PersonID: RawRepresentable, Hashable, Comparable, Sendable, BitwiseCopyable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    init(_ index: Int) { rawValue = UInt32(index) }

    /// Where the person stands in ``Country/people``.
    package var index: Int { Int(rawValue) }

    package static func < (one: PersonID, other: PersonID) -> Bool { one.rawValue < other.rawValue }
}

/// A venue, by number from 0 on.
package struct VenueID: RawRepresentable, Hashable, Comparable, Sendable, BitwiseCopyable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Where the venue stands in ``Country/venues``.
    package var index: Int { Int(rawValue) }

    package static func < (one: VenueID, other: VenueID) -> Bool { one.rawValue < other.rawValue }
}

/// A test, by number from 0 on, in the order in which tests are ordered.
package struct TestID: RawRepresentable, Hashable, Comparable, Sendable, BitwiseCopyable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    var index: Int { Int(rawValue) }

    package static func < (one: TestID, other: TestID) -> Bool { one.rawValue < other.rawValue }
}
