extension String {
    /// Whether two field names are the same; they are case-insensitive (RFC 9110, section 5.1).
    ///
    /// - Parameter other: in lower case.
    func isSame(as other: String) -> Bool {
        let own = utf8
        let other = other.utf8
        guard own.count == other.count else { return false }
        return zip(own, other).allSatisfy { $0 == $1 || ((0x41...0x5a).contains($0) && $0 | 0x20 == $1) }
    }
}
