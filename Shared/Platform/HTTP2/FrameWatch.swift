/// The head of a frame (RFC 9113, section 4.1).
struct FrameHead {
    let length: Int
    let type: UInt8
    let flags: UInt8
    let stream: Int32

    static let data: UInt8 = 0
    static let headers: UInt8 = 1
    static let priority: UInt8 = 2
    static let reset: UInt8 = 3
    static let settings: UInt8 = 4
    static let ping: UInt8 = 6
    static let goAway: UInt8 = 7
    static let windowUpdate: UInt8 = 8
    static let continuation: UInt8 = 9

    /// The payload of a frame has no more bytes, because we ask for no longer ones (section 6.5.2).
    static let longest = 1 << 14

    static let acknowledgement: UInt8 = 1
    static let endStream: UInt8 = 1

    var endsStream: Bool { (type == Self.data || type == Self.headers) && flags & Self.endStream != 0 }

    /// What the frame costs its sender's ``EffortBucket``; 0 if it is of use.
    var cost: Int {
        switch type {
        // A body needs DATA, but not in crumbs.
        case Self.data: length < 64 && flags & Self.endStream == 0 ? EffortBucket.Cost.cheap : 0
        // How many may follow is limited.
        case Self.headers, Self.continuation: 0
        case Self.settings: flags & Self.acknowledgement == 0 ? EffortBucket.Cost.wasted : EffortBucket.Cost.cheap
        case Self.ping: flags & Self.acknowledgement == 0 ? EffortBucket.Cost.answered : EffortBucket.Cost.cheap
        case Self.reset: EffortBucket.Cost.wasted
        default: EffortBucket.Cost.cheap
        }
    }
}

/// Finds the heads of frames in the bytes of a connection.
///
/// nghttp2 doesn't report frames that it ignores, so neither a flood of them nor DATA on a stream that has ended would be seen.
struct FrameWatch {
    /// How many bytes follow before the next head: a client's preface at first (section 3.4), then payloads.
    private var skipped: Int
    private var head: InlineArray<9, UInt8> = .init(repeating: 0)
    private var filled = 0

    /// Whether the last head's payload isn't complete.
    var isWithinFrame: Bool { skipped > 0 }

    init(skipping preface: Int) { skipped = preface }

    /// The next head that ends in the bytes; nil if there is none.
    ///
    /// - Parameter position: where it looks; moves to behind the head, or to the end.
    mutating func next(_ bytes: Span<UInt8>, _ position: inout Int) -> FrameHead? {
        if skipped > 0 {
            let count = min(skipped, bytes.count - position)
            position += count
            skipped -= count
        }
        while position < bytes.count {
            head[filled] = bytes[position]
            position += 1
            filled += 1
            if filled == 9 {
                filled = 0
                let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
                skipped = length
                let stream =
                    UInt32(head[5] & 0x7F) << 24 | UInt32(head[6]) << 16 | UInt32(head[7]) << 8 | UInt32(head[8])
                return FrameHead(length: length, type: head[3], flags: head[4], stream: Int32(stream))
            }
        }
        return nil
    }
}

/// Streams on which frames of the peer may still be on their way, although we have ended them (section 5.1).
struct EndedStreams {
    private static let limit = 1024
    private var known: Set<Int32> = []
    private var order: [Int32] = []
    private var oldest = 0

    func contains(_ stream: Int32) -> Bool { known.contains(stream) }

    mutating func insert(_ stream: Int32) {
        guard known.insert(stream).inserted else { return }
        if order.count < Self.limit {
            order.append(stream)
        } else {
            known.remove(order[oldest])
            order[oldest] = stream
            oldest = (oldest + 1) % Self.limit
        }
    }
}
