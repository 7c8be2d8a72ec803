import NIOCore
import NIOEmbedded
import Testing

@testable import Serving

@Suite struct LazyDeadlineTests {
    private final class Count { var expired = 0 }

    private let loop = EmbeddedEventLoop()
    private let count = Count()
    private let deadline: LazyDeadline

    init() {
        let count = count
        deadline = LazyDeadline(on: loop) { count.expired += 1 }
    }

    @Test("it passes when it is due, once")
    func due() {
        deadline.set(loop.now + .seconds(10))
        loop.advanceTime(by: .milliseconds(9999))
        #expect(count.expired == 0)
        loop.advanceTime(by: .milliseconds(1))
        #expect(count.expired == 1)
        loop.advanceTime(by: .seconds(100))
        #expect(count.expired == 1)
    }

    @Test("it can be put off, brought forward and taken away")
    func moved() {
        deadline.set(loop.now + .seconds(10))
        loop.advanceTime(by: .seconds(9))
        deadline.set(loop.now + .seconds(10))
        loop.advanceTime(by: .seconds(9))
        #expect(count.expired == 0)
        deadline.set(loop.now + .milliseconds(500))
        loop.advanceTime(by: .milliseconds(500))
        #expect(count.expired == 1)
        deadline.set(loop.now + .seconds(10))
        deadline.set(nil)
        loop.advanceTime(by: .seconds(100))
        #expect(count.expired == 1)
    }
}
