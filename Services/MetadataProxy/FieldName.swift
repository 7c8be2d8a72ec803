extension String {
    /// Whether two names of fields are the same, which have no case (RFC 9110, 5.1).
    ///
    /// - Parameter other: in lower case.
    func isSame(as other: String) -> Bool {
        let own = utf8
        let other = other.utf8
        guard own.count == other.count else { return false }
        return zip(own, other).allSatisfy { $0 == $1 || ((0x41...0x5a).contains($0) && $0 | 0x20 == $1) }
    }
}
