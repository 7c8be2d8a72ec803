/// The open streams of a connection by their numbers.
///
/// Each frame looks up its stream several times. Numbers are consecutive but for gaps, so they are places in a ring themselves; who
/// chooses them to collide gets a search among the streams that its limit allows.
struct StreamTable {
    /// The number at each place; 0 if it is free. The count is zero or a power of two, and at most half of the places are taken.
    private var numbers: [Int32] = []
    private var streams: [HTTP2Stream?] = []
    private(set) var count = 0
    /// How many streams aren't at their own places.
    private var displaced = 0

    subscript(number: Int32) -> HTTP2Stream? {
        place(of: number).flatMap { streams[$0] }
    }

    func contains(_ number: Int32) -> Bool { place(of: number) != nil }

    /// All streams, in no order.
    var values: some Sequence<HTTP2Stream> { streams.lazy.compactMap(\.self) }

    /// Adds a stream whose number isn't there.
    mutating func insert(_ stream: HTTP2Stream) {
        if 2 * count >= numbers.count { grow() }
        put(stream)
        count += 1
    }

    /// Removes a stream; nil if it isn't there.
    mutating func remove(_ number: Int32) -> HTTP2Stream? {
        guard var hole = place(of: number) else { return nil }
        let removed = streams[hole]
        count -= 1
        if home(of: number) != hole { displaced -= 1 }
        // Those behind it move up, as far as that brings them nearer to their own places.
        var index = next(hole)
        while displaced > 0, numbers[index] != 0 {
            let home = home(of: numbers[index])
            if (index - home) & (numbers.count - 1) >= (index - hole) & (numbers.count - 1) {
                numbers[hole] = numbers[index]
                streams.swapAt(hole, index)
                if home == hole { displaced -= 1 }
                hole = index
            }
            index = next(index)
        }
        numbers[hole] = 0
        streams[hole] = nil
        return removed
    }

    private func home(of number: Int32) -> Int { Int(number >> 1) & (numbers.count - 1) }
    private func next(_ index: Int) -> Int { (index + 1) & (numbers.count - 1) }

    private func place(of number: Int32) -> Int? {
        guard count > 0, number > 0 else { return nil }
        var index = home(of: number)
        while numbers[index] != number {
            if numbers[index] == 0 { return nil }
            index = next(index)
        }
        return index
    }

    private mutating func put(_ stream: HTTP2Stream) {
        var index = home(of: stream.id)
        while numbers[index] != 0 { index = next(index) }
        if index != home(of: stream.id) { displaced += 1 }
        numbers[index] = stream.id
        streams[index] = stream
    }

    private mutating func grow() {
        let all = Array(values)
        let room = max(4, 2 * numbers.count)
        numbers = Array(repeating: 0, count: room)
        streams = Array(repeating: nil, count: room)
        displaced = 0
        for stream in all { put(stream) }
    }
}
