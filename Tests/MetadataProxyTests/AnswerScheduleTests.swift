import DonationAPI
import HTTPContract
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Running
import Testing
import VerificationAPI

@testable import MetadataProxy

/// When answers leave, by an event loop whose time the test advances.
@Suite struct AnswerScheduleTests {
    private final class Outlet: AnswerOutlet {
        private(set) var released: [String] = []
        func encode(_ answer: Answer) -> ByteBuffer? { ByteBuffer(string: "\(answer.status)") }
        func release(_ bytes: ByteBuffer) { released.append(String(buffer: bytes)) }
    }

    /// A schedule that doesn't wait.
    private struct Immediate: AnswerSchedule {
        let patience: TimeAmount = .seconds(1)
        func requestArrived(_ answer: PendingAnswer) {}
        func answerReady(_ answer: PendingAnswer) { answer.leave() }
    }

    private let loop = EmbeddedEventLoop()
    private let outlet = Outlet()
    private let metrics = PrometheusMetrics()
    private let reply = UpstreamReply(
        head: HTTPResponseHead(version: .http1_1, status: .created), body: ByteBuffer(string: "{}"))
    private let refusalWithCode = UpstreamReply(
        head: HTTPResponseHead(version: .http1_1, status: .forbidden),
        body: ByteBuffer(string: ErrorCode.saltRedeemed.body))

    private func answer(
        by schedule: any AnswerSchedule, to operation: EndpointDescription = EndpointDescription(VerificationAPI.tan)
    ) throws -> PendingAnswer {
        var plan = ProxyPlan(
            listener: "test", schedule: schedule, bytesInFlight: BytesInFlight(limit: 1 << 20, metrics: metrics),
            limit: PrefixLimit(1000, clock: .system), clock: .system, metrics: metrics)
        let upstream = try Upstream(base: "http://upstream:8010", tls: nil, name: "upstream", on: loop)
        plan.forward(operation, to: upstream)
        let shared = try ProxyLoop(plan, on: loop)
        let request = try AppRequest.admit(
            "POST", operation.route.path, from: AddressPrefix(nil), on: shared,
            forEachField: { take in take("content-type", operation.route.requestMedia?.name ?? "") })
        let answer = PendingAnswer(to: request, arrivedAt: loop.now, for: outlet, on: shared)
        schedule.requestArrived(answer)
        return answer
    }

    private let deadline = DeadlineSchedule(interval: .milliseconds(250))

    @Test("an answer that is known at once leaves at its moment and not before")
    func moment() throws {
        let answer = try answer(by: deadline)
        answer.receive(reply)
        loop.advanceTime(by: .milliseconds(249))
        #expect(outlet.released.isEmpty)
        loop.advanceTime(by: .milliseconds(1))
        #expect(outlet.released == ["201"])
    }

    @Test("an answer that is late leaves at the next multiple", arguments: 1...7)
    func multiple(missed: Int64) throws {
        let answer = try answer(by: deadline)
        loop.advanceTime(by: .milliseconds(250 * missed + 1))
        answer.receive(reply)
        loop.advanceTime(by: .milliseconds(248))
        #expect(outlet.released.isEmpty)
        loop.advanceTime(by: .milliseconds(1))
        #expect(outlet.released == ["201"])
        #expect(metrics.text.contains(#"answer_overruns_total{route="/version/v1/tan"} \#(missed)"#))
    }

    @Test("without a reply the eighth multiple is a 503, and a later reply changes nothing")
    func none() throws {
        let answer = try answer(by: deadline)
        loop.advanceTime(by: .milliseconds(1999))
        #expect(outlet.released.isEmpty)
        loop.advanceTime(by: .milliseconds(1))
        answer.receive(reply)
        loop.advanceTime(by: .seconds(10))
        #expect(outlet.released == ["503"])
    }

    @Test("the failure of a service is a 503 at the same moment")
    func failure() throws {
        let answer = try answer(by: deadline)
        answer.fail()
        loop.advanceTime(by: .milliseconds(249))
        #expect(outlet.released.isEmpty)
        loop.advanceTime(by: .milliseconds(1))
        #expect(outlet.released == ["503"])
    }

    @Test("a refusal with an error code leaves at the same moment as a success", arguments: [false, true])
    func errorCode(isLate: Bool) throws {
        let answer = try answer(by: deadline, to: EndpointDescription(DonationAPI.reportOnAndroid))
        if isLate { loop.advanceTime(by: .milliseconds(250)) }
        answer.receive(refusalWithCode)
        loop.advanceTime(by: .milliseconds(249))
        #expect(outlet.released.isEmpty)
        loop.advanceTime(by: .milliseconds(1))
        #expect(outlet.released == ["403"])
    }

    @Test("an abandoned answer is never encoded or sent")
    func abandoned() throws {
        let answer = try answer(by: deadline)
        answer.abandon()
        #expect(!answer.isWorthwhile)
        answer.receive(reply)
        loop.advanceTime(by: .seconds(10))
        #expect(outlet.released.isEmpty)
    }

    @Test("a request may be forwarded during the first four multiples")
    func patience() throws {
        let answer = try answer(by: deadline)
        loop.advanceTime(by: .milliseconds(999))
        #expect(answer.isWorthwhile)
        loop.advanceTime(by: .milliseconds(1))
        #expect(!answer.isWorthwhile)
    }

    @Test("another schedule decides by itself")
    func immediate() throws {
        let answer = try answer(by: Immediate())
        #expect(outlet.released.isEmpty)
        answer.receive(reply)
        #expect(outlet.released == ["201"])
    }
}
