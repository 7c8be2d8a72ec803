internal import CLinux
internal import Glibc

/// What a connection has yet to send.
///
/// Small pieces are copied into one buffer; large ones are kept as they came, without copying.
struct OutputQueue {
    private var pieces: [ArraySlice<UInt8>] = []
    /// The index of the first piece that isn't sent.
    private var first = 0
    /// How much of the first piece is sent, or of the tail if there is no piece.
    private var offset = 0
    /// What follows the pieces.
    private var tail: [UInt8] = []
    /// The bytes in all.
    private(set) var count = 0

    /// From this length on, copying costs more than keeping.
    private static let large = 4096

    var isEmpty: Bool { count == 0 }

    mutating func append(_ bytes: UnsafeBufferPointer<UInt8>, on core: Core) {
        if tail.isEmpty, tail.capacity == 0 { tail = core.buffers.take() }
        // Sent bytes at the front of a tail that never gets empty would add up.
        if pieces.isEmpty, offset > Self.large, offset > tail.count / 2 {
            tail.removeFirst(offset)
            offset = 0
        }
        tail.append(contentsOf: bytes)
        count += bytes.count
    }

    mutating func append(_ bytes: ArraySlice<UInt8>, on core: Core) {
        if bytes.count < Self.large { return bytes.withUnsafeBufferPointer { append($0, on: core) } }
        if !tail.isEmpty {
            pieces.append(tail[...])
            tail = []
        }
        pieces.append(bytes)
        count += bytes.count
    }

    /// Gives `send` the next bytes: a whole piece if it is large or the last, else as many as fit into `gathered`.
    ///
    /// As long as nothing is removed, the next call gives the same bytes, and perhaps more.
    func withNext<R>(gathered: UnsafeMutableRawBufferPointer, _ send: (UnsafeRawBufferPointer) -> R) -> R {
        if first == pieces.count {
            return tail.withUnsafeBytes { send(UnsafeRawBufferPointer(rebasing: $0[offset...])) }
        }
        let length = pieces[first].count - offset
        if length >= gathered.count || length == count {
            return pieces[first].withUnsafeBytes { send(UnsafeRawBufferPointer(rebasing: $0[offset...])) }
        }
        var filled = 0
        var skipped = offset
        func add(_ bytes: UnsafeRawBufferPointer) {
            let part = min(bytes.count - skipped, gathered.count - filled)
            UnsafeMutableRawBufferPointer(rebasing: gathered[filled...]).copyMemory(
                from: UnsafeRawBufferPointer(rebasing: bytes[skipped..<skipped + part]))
            filled += part
            skipped = 0
        }
        var index = first
        while index < pieces.count, filled < gathered.count {
            pieces[index].withUnsafeBytes(add)
            index += 1
        }
        if filled < gathered.count { tail.withUnsafeBytes(add) }
        return send(UnsafeRawBufferPointer(rebasing: gathered[..<filled]))
    }

    /// Gives `send` the next bytes where they are, in at most ``maxVectors`` pieces.
    func withVectors<R>(_ send: (UnsafeMutableBufferPointer<iovec>) -> R) -> R {
        withUnsafeTemporaryAllocation(of: iovec.self, capacity: Self.maxVectors) { vectors in
            /// Adds the pieces from an index on, each while its bytes are held.
            func add(_ index: Int, _ filled: Int) -> R {
                guard index <= pieces.count, filled < vectors.count else {
                    return send(UnsafeMutableBufferPointer(rebasing: vectors[..<filled]))
                }
                let piece = index < pieces.count ? pieces[index] : tail[...]
                return piece.withUnsafeBytes { bytes in
                    let rest = bytes.dropFirst(index == first ? offset : 0)
                    guard !rest.isEmpty else { return add(index + 1, filled) }
                    let start = UnsafeMutableRawPointer(mutating: UnsafeRawBufferPointer(rebasing: rest).baseAddress)
                    vectors.initializeElement(at: filled, to: iovec(iov_base: start, iov_len: rest.count))
                    return add(index + 1, filled + 1)
                }
            }
            return add(first, 0)
        }
    }

    /// More pieces are seldom, and each takes a frame of the stack.
    private static let maxVectors = 8

    /// Removes what was sent.
    mutating func remove(_ sent: Int, on core: Core) {
        count -= sent
        if count == 0 { return removeAll(on: core) }
        offset += sent
        while first < pieces.count, offset >= pieces[first].count {
            offset -= pieces[first].count
            pieces[first] = []
            first += 1
        }
        if first == pieces.count, first > 0 {
            pieces = []
            first = 0
        }
    }

    mutating func removeAll(on core: Core) {
        count = 0
        offset = 0
        if !pieces.isEmpty {
            pieces = []
            first = 0
        }
        if tail.capacity > 0 {
            var buffer: [UInt8] = []
            swap(&buffer, &tail)
            core.buffers.giveBack(buffer)
        }
    }
}

/// Empty arrays with room, for the output of the next connections that write.
struct BufferPool {
    private var buffers: [[UInt8]] = []

    /// An empty array, usually with room.
    mutating func take() -> [UInt8] {
        buffers.popLast() ?? []
    }

    /// Keeps an array, unless it is large or there are many.
    mutating func giveBack(_ buffer: consuming [UInt8]) {
        guard buffers.count < 32, buffer.capacity <= 32 << 10 else { return }
        buffer.removeAll(keepingCapacity: true)
        buffers.append(buffer)
    }
}
