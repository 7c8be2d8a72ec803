import Testing

@testable import Loop

@Suite struct BurstTests {
    private func returns(_ counts: [Int]) -> [Int] {
        var burst = Burst()
        return counts.filter { count in
            defer { burst.returned() }
            return burst.noted(count)
        }
    }

    @Test func `Memory is returned whenever half of many connections have ended`() {
        #expect(returns(Array(0...1000) + (0..<1000).reversed()) == [499, 248, 123])
    }

    @Test func `Few connections return nothing`() {
        #expect(returns(Array(0..<Burst.few) + (0..<Burst.few - 1).reversed()) == [])
    }

    @Test func `Memory isn't returned again before there were as many connections again`() {
        let few = [400, 199, 210, 199, 210, 199]
        #expect(returns(few) == [199])
        #expect(returns(few + [400, 199]) == [199, 199])
    }

    @Test func `While memory is about to be returned it isn't wanted again`() {
        var burst = Burst()
        #expect([400, 10, 400, 10].map { burst.noted($0) } == [false, true, false, false])
        burst.returned()
        let isWanted = burst.noted(10)
        #expect(isWanted)
    }
}
