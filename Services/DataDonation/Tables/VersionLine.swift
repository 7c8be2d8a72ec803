/// The versions of an app that differ in their last number only.
struct VersionLine: Sendable, Hashable, Comparable, CustomStringConvertible {
    let major: Int
    let minor: Int

    /// Nil unless a text begins with two numbers.
    init?(_ text: String) {
        let numbers = text.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
        guard numbers.count >= 2, let major = numbers[0], let minor = numbers[1] else { return nil }
        (self.major, self.minor) = (major, minor)
    }

    static func < (one: VersionLine, other: VersionLine) -> Bool {
        (one.major, one.minor) < (other.major, other.minor)
    }

    var description: String { "\(major).\(minor)" }
}
