import Loop
import Testing

@testable import HTTP2

/// Public reports of servers that failed over time, or under load. Those of a single frame or message are cases of the rules'
/// table, and those of floods are in `FloodTests`; each names its report.
@Suite("Public reports of HTTP/2 servers")
struct ReportTests {
    private func begun(_ bytes: [UInt8]...) -> RuleStage {
        let stage = RuleStage()
        stage.send(preface + settings())
        for part in bytes { stage.send(part) }
        return stage
    }

    // MARK: What waits for a client

    /// CVE-2019-9517: windows are open, but nothing is read.
    @Test("answers that nobody reads aren't made into frames")
    func unread() {
        let stage = RuleStage()
        stage.isDeaf = true
        stage.send(preface + settings((4, 0x7FFF_FFFF)) + window(0, 0x7FFF_0000))
        for number in 0..<100 { stage.send(Rule.get(Int32(2 * number + 1), "/large")) }
        #expect(stage.requests.count < 10)
        // 64 KiB and a frame that was begun below them.
        #expect(stage.server.unsentBytes <= (64 << 10) + 2 * 16_393)
        stage.isDeaf = false
        stage.turn()
        #expect(stage.received(1) == 200_000)
    }

    /// CVE-2024-22201: neither answers nor GOAWAY can leave.
    @Test("a connection whose client reads nothing ends, although nothing can be written", arguments: [1, 100])
    func congested(_ requests: Int) {
        let stage = RuleStage()
        stage.isDeaf = true
        stage.send(preface + settings((4, 0x7FFF_FFFF)) + window(0, 0x7FFF_0000))
        for number in 0..<requests { stage.send(Rule.get(Int32(2 * number + 1), "/large")) }
        var seconds = 0
        while !stage.server.isClosing, seconds < 120 {
            stage.wait(.seconds(1))
            seconds += 1
        }
        #expect(seconds < 60)
    }

    /// CVE-2019-9511: a window of a byte at a time, and never enough for the bucket of floods.
    @Test("an answer that is taken byte by byte ends with its time")
    func dribble() {
        let stage = RuleStage()
        stage.send(preface + settings((4, 1)) + Rule.get(1, "/large"))
        var seconds = 0
        while !stage.frames.contains(where: { $0.type == Frame.reset }), !stage.isClosed, seconds < 120 {
            for _ in 0..<10 { stage.send(window(1, 1)) }
            stage.wait(.seconds(1))
            seconds += 1
        }
        #expect((25...40).contains(seconds))
        #expect(stage.received(1) <= 10 * seconds + 1)
    }

    /// Half of CVE-2026-49975, of tempesta-tech/tempesta#2627, and of CVE-2020-12604: a window of nothing keeps all answers.
    @Test("streams that a window of nothing holds end with their time, and nothing of them is kept")
    func held() {
        let stage = RuleStage()
        stage.send(preface + settings((4, 0)))
        for number in 0..<100 { stage.send(Rule.get(Int32(2 * number + 1), "/large")) }
        stage.wait(.seconds(29))
        #expect(!stage.frames.contains { $0.type == Frame.reset })
        stage.wait(.seconds(2))
        #expect(stage.frames.count { $0.type == Frame.reset } == 100)
        stage.send(Rule.get(201))
        #expect(stage.status(201) == "201")
    }

    // MARK: Shutdown

    /// Answers the PING that follows the notice of a shutdown.
    private func answerPing(_ stage: RuleStage) {
        guard let ping = stage.frames.last(where: { $0.type == Frame.ping }) else { return }
        stage.send(Frame(type: Frame.ping, flags: Frame.acknowledgement, payload: ping.payload).bytes)
    }

    /// CVE-2022-27664: the connection hung.
    @Test("an error during shutdown ends the connection at once", arguments: [false, true])
    func errorWithinShutdown(acknowledged: Bool) {
        let stage = begun(Rule.get(1, "/later"))
        stage.shutDown()
        if acknowledged { answerPing(stage) }
        stage.send(window(0, 0))
        #expect(stage.frames.last?.type == Frame.goAway && stage.frames.last?.code == 1)
        #expect(stage.isClosed)
        #expect(Conduct.objections(to: stage.frames).isEmpty)
    }

    /// RFC 9113, section 6.8; nghttp2/nghttp2#681.
    @Test("streams above the last one are ignored, but their fields are decoded, and their DATA is counted")
    func behindGoAway() {
        let stage = begun(Rule.open)
        stage.shutDown()
        answerPing(stage)
        #expect(stage.frames.last { $0.type == Frame.goAway }?.number(at: 0) == 1)
        stage.send(Rule.head(3, block(request()) + Rule.indexed, end: false))
        stage.send(Array((0..<100).flatMap { _ in data(3, Rule.zeros(16_384), end: false) }))
        #expect(stage.requests[3] == nil)
        // Trailers of the stream that is still served, with the field that came with the other.
        stage.send(data(1, "rule", end: false) + Rule.head(1, Rule.reference))
        #expect(stage.status(1) == "201")
        #expect(stage.frames.last { $0.type == Frame.goAway }?.code == 0)
        #expect(Conduct.objections(to: stage.frames).isEmpty)
    }

    // MARK: Blocks

    /// CVE-2018-14645, CVE-2020-11100 and CVE-2023-33953 are of decoders that trusted what came.
    @Test("noise in a field block is answered, reset, or ends the connection, and never more")
    func noise() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<300 {
            let bytes = (0..<Int.random(in: 1...200, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            let stage = begun(Rule.head(1, block(request()) + bytes), Rule.head(3, bytes))
            let isEnded = stage.frames.contains { $0.type == Frame.goAway }
            #expect(isEnded == stage.isClosed, "\(bytes)")
            #expect(Conduct.objections(to: stage.frames).isEmpty, "\(bytes)")
            if !isEnded {
                stage.send(Rule.get(5))
                #expect(stage.status(5) == "201", "\(bytes)")
            }
        }
    }

    /// The reports that the table, this file and `FloodTests` answer; a name that is misspelt finds nobody.
    @Test("reports are named as their registries do")
    func names() {
        let known = Set(Rule.all.flatMap(\.cases).flatMap(\.reports))
        #expect(known.count > 30)
        for name in known {
            let isCVE = name.wholeMatch(of: #/CVE-20\d\d-\d{4,5}/#) != nil
            #expect(isCVE || name.wholeMatch(of: #/[\w.-]+/[\w.-]+#\d+/#) != nil, "\(name)")
        }
    }
}
