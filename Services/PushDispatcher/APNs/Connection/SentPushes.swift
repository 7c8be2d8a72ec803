import DequeModule
import Loop

/// A push whose reply is awaited, and what has arrived of that.
struct SentPush {
    /// The push's name for the dispatch.
    let number: Int
    /// When the reply is late.
    let end: Moment
    /// 0 before the reply.
    var status = 0
    var retryAfter: Int?
    var body: [UInt8] = []
    fileprivate var isOpen = true

    init(number: Int, end: Moment) {
        self.number = number
        self.end = end
    }
}

/// The pushes of a connection that await a reply, the oldest first.
///
/// A client's streams have consecutive odd numbers (RFC 9113, section 5.1.1), so a stream's number says where its push is.
struct SentPushes {
    private var pushes: Deque<SentPush> = []
    /// The stream of the first push.
    private(set) var firstStream: Int32 = 1

    /// Whether none awaits a reply.
    var isEmpty: Bool { pushes.isEmpty }

    /// The oldest one that awaits a reply.
    var first: SentPush? { pushes.first }

    /// Adds the push of the newest stream.
    mutating func append(_ push: SentPush, as stream: Int32) {
        if pushes.isEmpty { firstStream = stream }
        pushes.append(push)
    }

    /// Changes a push; nothing happens if it isn't there any more.
    mutating func change(_ stream: Int32, _ body: (inout SentPush) -> Void) {
        if let index = index(of: stream) { body(&pushes[index]) }
    }

    /// Removes a push; nil if it isn't there any more.
    mutating func remove(_ stream: Int32) -> SentPush? {
        guard let index = index(of: stream) else { return nil }
        let push = pushes[index]
        pushes[index].isOpen = false
        skipClosed()
        return push
    }

    /// Removes the oldest one.
    mutating func removeFirst() -> SentPush? {
        guard let push = pushes.popFirst() else { return nil }
        firstStream += 2
        skipClosed()
        return push
    }

    private mutating func skipClosed() {
        while let first = pushes.first, !first.isOpen {
            pushes.removeFirst()
            firstStream += 2
        }
    }

    private func index(of stream: Int32) -> Int? {
        let index = Int(stream - firstStream) / 2
        return stream >= firstStream && index < pushes.count && pushes[index].isOpen ? index : nil
    }
}
