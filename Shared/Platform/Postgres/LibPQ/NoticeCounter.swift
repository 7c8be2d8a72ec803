import CLibPQ

/// Counts a connection's notices and drops their text, which can hold data and which libpq prints by default
/// (<https://www.postgresql.org/docs/current/libpq-notice-processing.html>).
///
/// libpq calls the receiver only within a call on the connection, so on the thread that uses it.
final class NoticeCounter {
    private var count = 0

    /// Registers the counter as the receiver of a connection's notices. The counter must live as long as the connection.
    func receive(from connection: OpaquePointer) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        PQsetNoticeReceiver(
            connection,
            { context, _ in
                guard let context else { return }
                Unmanaged<NoticeCounter>.fromOpaque(context).takeUnretainedValue().count += 1
            }, context)
    }

    /// The count since the last call.
    func take() -> Int {
        defer { count = 0 }
        return count
    }
}
