import Loop
import Testing

@Suite struct EndingTests {
    @Test("closing sends everything first, and both sides are told once")
    func close() {
        let pair = Pair()
        pair.one.write([UInt8](repeating: 1, count: 1_000_000))
        pair.one.close()
        pair.one.write(bytes("too late"))
        pair.one.close()
        #expect(pair.one.isClosing)
        #expect(pair.near.ends == [])
        #expect(pair.core.turns { !pair.near.ends.isEmpty && !pair.far.ends.isEmpty })
        #expect(pair.far.received.count == 1_000_000)
        #expect(pair.far.inputEnds == 1)
        #expect(pair.near.ends == [.closed])
        #expect(pair.far.ends == [.closed])
        pair.core.advance(by: .seconds(5))
        #expect(pair.near.ends.count == 1 && pair.far.ends.count == 1)
    }

    @Test("after its input has ended a connection can still answer")
    func halfClose() {
        let pair = Pair()
        pair.far.whenInputEnds = { _ in }
        pair.one.write(bytes("question"))
        pair.one.close()
        #expect(pair.core.turns { pair.far.inputEnds == 1 })
        #expect(pair.far.text == "question")
        #expect(pair.far.ends == [])
        // Nothing spins: no event comes any more.
        for _ in 0..<5 { pair.core.turn() }
        #expect(pair.far.inputEnds == 1)
        pair.other.write(bytes("answer"))
        pair.other.close()
        #expect(pair.core.turns { pair.far.end == .closed && pair.near.end == .closed })
    }

    @Test("the end of input comes after all that was kept, again after each resuming")
    func endOfKept() {
        let pair = Pair()
        var isBusy = true
        pair.far.takes = { isBusy ? 0 : min($0, 3) }
        pair.far.whenReceived = { _ in if !isBusy { isBusy = true } }
        pair.far.whenInputEnds = { if !isBusy || $0.keptBytes == 0 { $0.close() } }
        pair.one.write(bytes("onetwo"))
        pair.one.close()
        #expect(pair.core.turns { pair.far.inputEnds == 1 })
        #expect(pair.far.text == "")
        isBusy = false
        pair.other.resumeReading()
        pair.core.turn()
        #expect(pair.far.text == "one")
        #expect(pair.far.ends == [])
        isBusy = false
        pair.other.resumeReading()
        #expect(pair.core.turns { pair.far.end == .closed })
        #expect(pair.far.text == "onetwo")
    }

    @Test("a closed connection lingers: it discards what still comes, for a second and 16 MiB at most")
    func lingering() {
        let pair = Pair()
        pair.far.whenInputEnds = { _ in }
        pair.core.turn()
        pair.one.close()
        #expect(pair.core.turns { pair.far.inputEnds == 1 })
        pair.other.write([UInt8](repeating: 1, count: 100_000))
        for _ in 0..<10 { pair.core.turn() }
        #expect(pair.near.offers == [])
        #expect(pair.near.ends == [])
        #expect(pair.other.unsentBytes == 0)
        pair.core.advance(by: .milliseconds(999))
        #expect(pair.near.ends == [])
        pair.core.advance(by: .milliseconds(1))
        #expect(pair.near.ends == [.closed])
    }

    @Test("a peer that goes on sending isn't listened to without end")
    func discarding() {
        let pair = Pair()
        pair.far.whenInputEnds = { _ in }
        pair.core.turn()
        pair.one.close()
        #expect(pair.core.turns { pair.far.inputEnds == 1 })
        pair.other.outputMark = (high: 1 << 26, low: 1)
        pair.other.write([UInt8](repeating: 1, count: 40_000_000))
        #expect(pair.core.turns { pair.near.end == .closed && !pair.far.ends.isEmpty })
        #expect(pair.far.end != .closed)
    }

    @Test("aborting ends it at once; the handler is told later, and then let go")
    func abort() {
        let pair = Pair()
        pair.core.turn()
        pair.one.write([UInt8](repeating: 1, count: 10))
        pair.one.abort()
        #expect(pair.near.ends == [])
        pair.core.turn()
        #expect(pair.near.ends == [.closed])
        #expect(pair.one.handler == nil)
        pair.one.write(bytes("a"))
        pair.one.resumeReading()
        pair.one.flush()
        pair.one.close()
        pair.core.turn()
        #expect(pair.near.ends == [.closed])
        #expect(pair.core.turns { pair.far.end == .closed })
    }

    @Test("closing within any call of the handler is right", arguments: 0..<4)
    func within(place: Int) {
        let pair = Pair()
        let end: (Connection) -> Void = { place % 2 == 0 ? $0.close() : $0.abort() }
        pair.far.takes = { _ in 1 }
        if place < 2 { pair.far.whenOpen = end } else { pair.far.whenReceived = end }
        let other = Connection.pair(on: pair.core)
        other.0.start(pair.far)
        other.1.start(pair.near)
        other.1.write(bytes("abc"))
        #expect(pair.core.turns { pair.far.end == .closed && !pair.near.ends.isEmpty })
        #expect(pair.far.offers.count == (place < 2 ? 0 : 1))
    }

    @Test("a failure of writing is reported, after the peer's last words were read")
    func brokenPipe() {
        let pair = Pair()
        pair.core.turn()
        pair.other.write(bytes("refused"))
        pair.other.flush()
        pair.other.abort()
        pair.one.write(bytes("a long upload"))
        #expect(pair.core.turns { !pair.near.ends.isEmpty })
        #expect(pair.near.text == "refused")
    }

    @Test("a connection that nobody started closes its descriptor")
    func neverStarted() {
        let core = Core(manual: Moment(nanoseconds: 0))
        let recorder = Recorder()
        do {
            let (one, _) = Connection.pair(on: core)
            one.start(recorder)
        }
        #expect(core.turns { recorder.end == .closed })
    }
}
