import Testing

@testable import HTTP2

/// Streams by their numbers.
struct StreamTableTests {
    @Test("a table holds what a dictionary would, whatever the numbers", arguments: [1, 2, 16, 64])
    func dictionary(stride: Int32) {
        var table = StreamTable()
        var expected: [Int32: HTTP2Stream] = [:]
        var state: UInt32 = 7
        func random() -> Int32 {
            state = state &* 1_664_525 &+ 1_013_904_223
            return Int32(state >> 24)
        }
        for _ in 0..<20_000 {
            let number = 1 + 2 * stride * random()
            if let known = expected[number] {
                #expect(table[number] === known)
                if random() < 140 {
                    #expect(table.remove(number) === known)
                    expected[number] = nil
                }
            } else {
                #expect(table[number] == nil && table.remove(number) == nil)
                let stream = HTTP2Stream(number)
                table.insert(stream)
                expected[number] = stream
            }
            #expect(table.count == expected.count)
        }
        #expect(Set(table.values.map(\.id)) == Set(expected.keys))
        for (number, stream) in expected { #expect(table[number] === stream) }
    }

    @Test("an empty table knows no stream")
    func empty() {
        var table = StreamTable()
        #expect(table[0] == nil && table[1] == nil && table.remove(1) == nil)
        table.insert(HTTP2Stream(1))
        #expect(table[0] == nil && table[-1] == nil)
    }
}
