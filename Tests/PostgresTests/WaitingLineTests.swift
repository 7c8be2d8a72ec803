import Testing

@testable import Postgres

@Suite("The waiting line")
struct WaitingLineTests {
    @Test("behaves like an array whose first element is taken")
    func likeAnArray() {
        var line = WaitingLine<Int>()
        var model: [Int] = []
        for step in 0..<5000 {
            switch Int.random(in: 0..<5) {
            case 0, 1:
                line.append(step)
                model.append(step)
            case 2 where step % 3 == 0:
                line.prepend(step)
                model.insert(step, at: 0)
            case 3 where step % 50 == 0:
                let divisor = Int.random(in: 2...5)
                #expect(line.removeAll { $0 % divisor == 0 } == model.filter { $0 % divisor == 0 })
                model.removeAll { $0 % divisor == 0 }
            default:
                #expect(line.popFirst() == (model.isEmpty ? nil : model.removeFirst()))
            }
            #expect(line.count == model.count)
            #expect(line.minimum(of: \.self) == model.min())
        }
    }
}
