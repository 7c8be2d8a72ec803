/// Notices that most of a burst of connections have ended, so that their memory can be given back to the system.
///
/// malloc returns by itself only what lies at the end of an arena. What connections have freed lies between what others still use,
/// and would stay: 3,000 idle TLS connections leave 40 MiB. malloc_trim(3) returns the whole pages among it.
struct Burst {
    /// As many as use so little memory that it may stay.
    static let few = 128

    /// The most connections since the last time that memory was returned.
    private var most = 0

    /// Notes how many connections there are.
    ///
    /// - Returns: whether memory should be returned now: each time that half of them have ended, so that a caller who opens and
    ///   closes connections has to pay with many handshakes for each.
    mutating func noted(_ count: Int) -> Bool {
        most = max(most, count)
        guard most >= Self.few, count < most / 2 else { return false }
        most = count
        return true
    }
}
