import Loop
import Testing

@Suite struct ConnectionTests {
    @Test("bytes arrive, in order, and what is written at once leaves at once")
    func echo() {
        let pair = Pair()
        pair.far.whenReceived = { connection in
            connection.write(bytes("x"))
            connection.write(bytes("yz")[...])
            connection.write(bytes("!").span)
        }
        pair.one.write(bytes("hello"))
        pair.core.turn()
        #expect(pair.near.isOpen && pair.far.isOpen)
        pair.core.turn()
        #expect(pair.far.text == "hello")
        #expect(pair.core.turns { pair.near.text == "xyz!" })
        #expect(pair.near.offers == [4])
    }

    @Test("when bytes arrived is the beginning of that turn")
    func arrival() {
        let pair = Pair()
        pair.core.advance(by: .seconds(1))
        pair.one.write(bytes("a"))
        pair.core.turn()
        pair.core.turn()
        let moment = pair.other.arrived
        #expect(moment == pair.core.now)
        pair.core.advance(by: .seconds(1))
        #expect(pair.other.arrived == moment)
    }

    @Test("what the handler leaves is offered again, together with what comes")
    func leftOver() {
        let pair = Pair()
        pair.far.takes = { $0 < 6 ? 0 : 4 }
        pair.one.write(bytes("abc"))
        pair.core.turn()
        pair.core.turn()
        #expect(pair.far.offers == [3])
        #expect(pair.other.keptBytes == 3)
        pair.one.write(bytes("defg"))
        pair.core.turn()
        pair.core.turn()
        #expect(pair.far.offers == [3, 7])
        #expect(pair.far.text == "abcd")
        pair.far.takes = { $0 }
        pair.other.resumeReading()
        #expect(pair.far.offers.count == 2)
        pair.core.turn()
        #expect(pair.far.offers == [3, 7, 3])
        #expect(pair.far.text == "abcdefg")
        #expect(pair.other.keptBytes == 0)
    }

    @Test("byte by byte gives the same as at once")
    func byteByByte() {
        let pair = Pair()
        pair.far.takes = { $0 == 5 ? 5 : 0 }
        for byte in bytes("helloworld") {
            pair.one.write([byte])
            pair.core.turn()
            pair.core.turn()
        }
        #expect(pair.far.text == "helloworld")
    }

    @Test("nothing is offered between pausing and resuming")
    func pausing() {
        let pair = Pair()
        pair.core.turn()
        pair.other.pauseReading()
        pair.one.write(bytes("abc"))
        for _ in 0..<3 { pair.core.turn() }
        #expect(pair.far.offers == [])
        pair.other.resumeReading()
        #expect(pair.core.turns { pair.far.text == "abc" })
    }

    @Test("a handler that pauses within an offer gets the rest after resuming, without new bytes")
    func pausingWithin() {
        let pair = Pair()
        pair.far.takes = { min($0, 2) }
        pair.far.whenReceived = { $0.pauseReading() }
        pair.one.write(bytes("abcdef"))
        for _ in 0..<3 { pair.core.turn() }
        #expect(pair.far.text == "ab")
        pair.other.resumeReading()
        pair.core.turn()
        #expect(pair.far.text == "abcd")
        // Also when it resumes within the offer.
        pair.far.whenReceived = { $0.resumeReading() }
        pair.other.resumeReading()
        pair.core.turn()
        #expect(pair.far.text == "abcdef")
    }

    @Test("input is kept up to its limit, then nothing is read until the handler takes some")
    func inputLimit() {
        let pair = Pair()
        pair.other.inputLimit = 1000
        pair.far.takes = { _ in 0 }
        pair.one.write([UInt8](repeating: 7, count: 5000))
        for _ in 0..<5 { pair.core.turn() }
        #expect(pair.other.keptBytes == 1000)
        #expect(pair.far.offers.count == 1)
        pair.far.takes = { $0 }
        pair.other.resumeReading()
        #expect(pair.core.turns { pair.far.received.count == 5000 })
        #expect(pair.far.offers.allSatisfy { $0 <= 1000 })
    }

    @Test("large and small pieces arrive in order")
    func largePieces() {
        let pair = Pair()
        pair.one.outputMark = (high: 1 << 22, low: 1 << 20)
        var sent: [UInt8] = []
        for (index, count) in [10, 100_000, 5, 5, 5000, 4095, 4096, 300_000, 1, 20_000].enumerated() {
            let piece = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ index) }
            pair.one.write(piece)
            sent += piece
        }
        #expect(pair.one.unsentBytes == sent.count)
        #expect(pair.core.turns { pair.far.received.count == sent.count })
        #expect(pair.far.received == sent)
        #expect(pair.one.unsentBytes == 0)
    }

    @Test("output to a peer that doesn't read stays queued, and small pieces behind it keep their order")
    func slowPeer() {
        let pair = Pair()
        pair.core.turn()
        pair.other.pauseReading()
        var sent: [UInt8] = []
        for index in 0..<3000 {
            let piece = [UInt8](repeating: UInt8(truncatingIfNeeded: index), count: 200)
            pair.one.write(piece)
            sent += piece
            if index % 50 == 0 { pair.core.turn() }
        }
        #expect(pair.one.unsentBytes > 0)
        pair.other.resumeReading()
        #expect(pair.core.turns { pair.far.received.count == sent.count })
        #expect(pair.far.received == sent)
    }

    @Test("over its mark a connection reads nothing; below the low mark it is told, and goes on")
    func marks() {
        let pair = Pair()
        pair.core.turn()
        pair.one.outputMark = (high: 1000, low: 500)
        pair.other.pauseReading()
        pair.one.write([UInt8](repeating: 1, count: 2_000_000))
        pair.core.turn()
        #expect(pair.one.unsentBytes > 1000)
        pair.other.write(bytes("wait"))
        for _ in 0..<3 { pair.core.turn() }
        #expect(pair.near.offers == [])
        #expect(pair.near.canWrites == 0)
        pair.other.resumeReading()
        #expect(pair.core.turns { pair.near.text == "wait" })
        #expect(pair.near.canWrites == 1)
        #expect(pair.one.unsentBytes <= 500)
    }

    @Test("a handler that answers more than its mark in one offer is told once the output has left")
    func marksWithinOffer() {
        let pair = Pair()
        pair.other.outputMark = (high: 100, low: 50)
        pair.far.takes = { min($0, 1) }
        pair.far.whenReceived = { $0.write([UInt8](repeating: 9, count: 101)) }
        pair.far.whenWritable = { $0.write(bytes("+")) }
        pair.one.write(bytes("abc"))
        #expect(pair.core.turns { pair.near.received.count == 3 * 102 })
        #expect(pair.far.text == "abc")
        #expect(pair.far.canWrites == 3)
    }

    @Test("flushing sends at once, and calls no handler meanwhile")
    func flushing() {
        let pair = Pair()
        pair.core.turn()
        pair.one.outputMark = (high: 10, low: 5)
        pair.one.write([UInt8](repeating: 1, count: 20))
        #expect(pair.one.unsentBytes == 20)
        pair.one.flush()
        #expect(pair.one.unsentBytes == 0)
        #expect(pair.near.canWrites == 0)
        pair.core.turn()
        #expect(pair.near.canWrites == 1)
        #expect(pair.far.received.count == 20)
    }

    @Test("the handler may be replaced, and the last one is told of the end")
    func replaced() {
        let pair = Pair()
        pair.core.turn()
        let second = Recorder()
        pair.far.whenReceived = { $0.handler = second }
        pair.one.write(bytes("a"))
        pair.core.turn()
        pair.core.turn()
        pair.one.write(bytes("b"))
        pair.core.turn()
        pair.core.turn()
        #expect(pair.far.text == "a")
        #expect(second.text == "b")
        pair.one.abort()
        #expect(pair.core.turns { second.ends.count == 1 })
        #expect(pair.far.ends == [])
    }

    @Test("events of a turn that were fetched before their connection ended are for nobody")
    func staleEvents() {
        let core = Core(manual: Moment(nanoseconds: 0))
        let first = Pair(on: core)
        let second = Pair(on: core)
        core.turn()
        var third: Pair?
        // Both have events in one turn. Whoever comes first ends the other and makes a pair that gets its descriptors' numbers;
        // a pair that pauses would end if it were told that its peer has hung up.
        first.far.whenReceived = { _ in
            second.other.abort()
            let pair = Pair(on: core)
            pair.one.pauseReading()
            pair.other.pauseReading()
            third = pair
        }
        first.one.write(bytes("a"))
        first.one.flush()
        second.one.abort()
        core.turn()
        #expect(first.far.text == "a")
        #expect(second.far.offers == [])
        #expect(second.far.inputEnds == 0)
        #expect(second.far.ends == [.closed])
        core.turn()
        #expect(third?.near.ends == [] && third?.far.ends == [])
        #expect(third?.near.offers == [] && third?.far.offers == [])
    }
}
