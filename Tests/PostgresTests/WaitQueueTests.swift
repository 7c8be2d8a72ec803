import Testing

@testable import Postgres

@Suite("The waiting queue")
struct WaitQueueTests {
    @Test("behaves like an array whose first element is removed")
    func likeAnArray() {
        var queue = WaitQueue<Int>()
        var model: [Int] = []
        for step in 0..<5000 {
            switch Int.random(in: 0..<5) {
            case 0, 1:
                queue.append(step)
                model.append(step)
            case 2 where step % 3 == 0:
                queue.prepend(step)
                model.insert(step, at: 0)
            case 3 where step % 50 == 0:
                let divisor = Int.random(in: 2...5)
                #expect(queue.removeAll { $0 % divisor == 0 } == model.filter { $0 % divisor == 0 })
                model.removeAll { $0 % divisor == 0 }
            default:
                #expect(queue.popFirst() == (model.isEmpty ? nil : model.removeFirst()))
            }
            #expect(queue.count == model.count)
            #expect(queue.minimum(of: \.self) == model.min())
        }
    }
}
