import DequeModule
import Testing

struct DequeTests {
    private func drained(_ queue: Deque<Int>) -> [Int] {
        var rest = queue
        return Array(sequence(state: ()) { _ in rest.popFirst() })
    }

    @Test("elements come out as they went in, however full the ring is and wherever it starts")
    func order() {
        var queue: Deque<Int> = []
        var expected: [Int] = []
        var next = 0
        for round in 0..<200 {
            for _ in 0..<(round * 7 % 13) {
                queue.append(next)
                expected.append(next)
                next += 1
            }
            if round % 3 == 0 {
                queue.prepend(-round)
                expected.insert(-round, at: 0)
            }
            for _ in 0..<(round * 5 % 11) {
                #expect(queue.first == expected.first)
                #expect(queue.popFirst() == (expected.isEmpty ? nil : expected.removeFirst()))
            }
            #expect(queue.count == expected.count)
            #expect(queue.isEmpty == expected.isEmpty)
            #expect(drained(queue) == expected)
        }
    }

    @Test("an optional element that is nil is an element")
    func optionals() {
        var queue: Deque<Int?> = [nil, 1]
        #expect(queue.count == 2)
        #expect(queue.removeFirst() == nil)
        #expect(queue.removeFirst() == 1)
        #expect(queue.isEmpty)
    }

    @Test("a removed element is released at once")
    func released() {
        final class Element {}
        var queue: Deque<Element> = []
        queue.append(Element())
        weak let first = queue.first
        #expect(first != nil)
        queue.removeFirst()
        #expect(first == nil)
    }

    @Test("a copy keeps its elements")
    func copies() {
        var queue: Deque<Int> = [1, 2, 3]
        let copy = queue
        queue.removeFirst()
        queue.append(4)
        #expect(drained(copy) == [1, 2, 3])
        #expect(drained(queue) == [2, 3, 4])
    }
}
