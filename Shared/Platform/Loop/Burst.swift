/// Notices that most of a burst of connections have ended, so that their memory can be given back to the system.
///
/// malloc returns by itself only what lies at the end of an arena. What connections have freed lies between what others still use,
/// and would stay with the process. malloc_trim(3) returns the whole pages among it.
struct Burst {
    /// Below this peak, connections use so little memory that it may stay.
    static let few = 128

    /// How long to wait before memory is returned, so that the last connections of the burst have ended, too.
    static let delay: Duration = .seconds(5)

    /// The most connections since the last time that memory was to be returned.
    private var most = 0
    private var isReturning = false

    /// Notes how many connections there are.
    ///
    /// - Returns: whether memory should be returned after ``delay``: each time that half of them have ended, so that a caller who
    ///   opens and closes connections has to pay with many handshakes for each.
    mutating func noted(_ count: Int) -> Bool {
        most = max(most, count)
        guard !isReturning, most >= Self.few, count < most / 2 else { return false }
        most = count
        isReturning = true
        return true
    }

    /// Notes that memory is returned now.
    mutating func returned() { isReturning = false }
}
