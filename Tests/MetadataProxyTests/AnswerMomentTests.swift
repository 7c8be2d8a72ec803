import Calling
import DonationAPI
import HTTP2
import HTTPContract
import HTTPTypes
import Loop
import Running
import Testing
import VerificationAPI

@testable import MetadataProxy
@testable import Serving

/// When answers leave, on a core whose time the test advances.
@Suite struct AnswerMomentTests {
    /// A schedule that doesn't wait.
    private struct Immediate: AnswerSchedule {
        let patience: Duration = .seconds(1)
        func requestArrived(_ exchange: ProxyExchange) {}
        func answerReady(_ exchange: ProxyExchange) { exchange.leave() }
    }

    private static let success = reply(.created, "{}")

    /// A stage with one request under way.
    private func begun(
        _ operation: EndpointDescription = EndpointDescription(VerificationAPI.tan),
        by schedule: any AnswerSchedule = DeadlineSchedule(interval: .milliseconds(250))
    ) throws -> (stage: CoreStage, exchange: ProxyExchange) {
        let stage = try CoreStage(operation, by: schedule)
        stage.send(CoreStage.post(operation.route.path, media: operation.route.requestMedia?.name ?? ""))
        return (stage, try #require(stage.server.admitted.first))
    }

    @Test("an answer that is known at once leaves at its moment and not before")
    func moment() throws {
        let (stage, exchange) = try begun()
        exchange.received(.success(Self.success))
        stage.wait(.milliseconds(249))
        #expect(stage.client.statuses.isEmpty)
        stage.wait(.milliseconds(1))
        #expect(stage.client.statuses == [201])
    }

    @Test("an answer that is late leaves at the next multiple", arguments: 1...7)
    func multiple(missed: Int) throws {
        let (stage, exchange) = try begun()
        stage.wait(.milliseconds(250 * missed + 1))
        exchange.received(.success(Self.success))
        stage.wait(.milliseconds(248))
        #expect(stage.client.statuses.isEmpty)
        stage.wait(.milliseconds(1))
        #expect(stage.client.statuses == [201])
        #expect(stage.metrics.text.contains(#"answer_overruns_total{route="/version/v1/tan"} \#(missed)"#))
    }

    @Test("without a reply the eighth multiple is a 503, and a later reply changes nothing")
    func none() throws {
        let (stage, exchange) = try begun()
        stage.wait(.milliseconds(1999))
        #expect(stage.client.statuses.isEmpty)
        stage.wait(.milliseconds(1))
        exchange.received(.success(Self.success))
        stage.wait(.seconds(8))
        #expect(stage.client.statuses == [503])
    }

    @Test("the failure of a service is a 503 at the same moment")
    func failure() throws {
        let (stage, exchange) = try begun()
        exchange.received(.failure(.ended))
        stage.wait(.milliseconds(249))
        #expect(stage.client.statuses.isEmpty)
        stage.wait(.milliseconds(1))
        #expect(stage.client.statuses == [503])
    }

    @Test("a refusal with an error code leaves at the same moment as a success", arguments: [false, true])
    func errorCode(isLate: Bool) throws {
        let (stage, exchange) = try begun(EndpointDescription(DonationAPI.reportOnAndroid))
        if isLate { stage.wait(.milliseconds(250)) }
        exchange.received(.success(reply(.forbidden, ErrorCode.saltRedeemed.body)))
        stage.wait(.milliseconds(249))
        #expect(stage.client.statuses.isEmpty)
        stage.wait(.milliseconds(1))
        #expect(stage.client.statuses == [403])
        #expect(stage.client.text.hasSuffix(ErrorCode.saltRedeemed.body))
    }

    @Test("the answer to a caller who has disconnected is never encoded or sent")
    func abandoned() throws {
        let (stage, exchange) = try begun()
        stage.client.connection?.abort()
        stage.turn()
        #expect(!exchange.isOverdue)
        exchange.received(.success(Self.success))
        stage.wait(.seconds(10))
        #expect(stage.client.statuses.isEmpty)
        #expect(!stage.metrics.text.contains("answer_overruns_total{route=\"/version/v1/tan\"} 1"))
    }

    @Test("a request may be forwarded during the first four multiples")
    func patience() throws {
        let stage = try CoreStage(connections: 1)
        stage.send(CoreStage.post())
        stage.connect()
        stage.send(CoreStage.post())
        // The first has the only connection.
        let exchange = try #require(stage.server.admitted.last)
        stage.wait(.milliseconds(999))
        #expect(exchange.isOverdue)
        stage.wait(.milliseconds(1))
        #expect(!exchange.isOverdue)
        stage.wait(.milliseconds(250))
        #expect(stage.client.statuses == [503])
    }

    @Test(
        "a request that waits for a connection isn't passed on once its caller has disconnected",
        arguments: [false, true])
    func withdrawn(disconnects: Bool) throws {
        let stage = try CoreStage(connections: 1)
        stage.send(CoreStage.post(body: "first"))
        stage.turn()
        #expect(stage.service.take().hasSuffix("\r\n\r\nfirst"))
        let first = stage.client
        stage.connect()
        stage.send(CoreStage.post(body: "second"))
        if disconnects { stage.client.connection?.abort() }
        stage.turn()
        stage.service.say("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
        stage.turn()
        #expect(stage.service.take().hasSuffix("second") == !disconnects)
        stage.wait(.milliseconds(250))
        #expect(first.statuses == [201])
    }

    @Test("another schedule decides by itself")
    func immediate() throws {
        let (stage, exchange) = try begun(by: Immediate())
        #expect(stage.client.statuses.isEmpty)
        exchange.received(.success(Self.success))
        stage.turn()
        #expect(stage.client.statuses == [201])
    }

    // MARK: HTTP/2

    @Test("answers of one connection leave each at its moment, in one piece, and everything else at once")
    func streams() throws {
        let stage = try CoreStage(http2: true)
        let client = try HTTP2Client(stage)
        let first = try client.submit()
        client.flush()
        stage.wait(.milliseconds(100))
        let second = try client.submit()
        client.flush()
        for exchange in stage.server.admitted { exchange.received(.success(Self.success)) }
        _ = stage.client.take()
        client.session.ping()
        client.flush()
        #expect(client.takeFrames().map(\.type) == [6])
        stage.wait(.milliseconds(149))
        #expect(stage.client.bytes.isEmpty)
        stage.wait(.milliseconds(1))
        #expect(stage.client.pieces.map(\.count) == [1024])
        #expect(client.order == [first])
        stage.wait(.milliseconds(100))
        #expect(client.order == [first, second])
    }

    @Test("a connection that is to end closes when the last answer has left")
    func close() throws {
        let stage = try CoreStage(http2: true)
        let client = try HTTP2Client(stage)
        try client.submit()
        client.flush()
        stage.wait(.milliseconds(100))
        try client.submit()
        client.flush()
        for exchange in stage.server.admitted { exchange.received(.success(Self.success)) }
        var hasEnded = false
        stage.listener.drain { hasEnded = true }
        client.session.goAway(.noError)
        client.flush()
        stage.wait(.milliseconds(150))
        #expect(client.order.count == 1)
        #expect(!stage.client.hasEnded)
        stage.wait(.milliseconds(100))
        #expect(client.order.count == 2)
        stage.wait(.seconds(3))
        #expect(stage.client.hasEnded)
        #expect(hasEnded)
    }

    @Test("an answer that the client can take only in part does not leave, and the connection closes at its moment")
    func incomplete() throws {
        let stage = try CoreStage(http2: true)
        let client = try HTTP2Client(stage, window: 10)
        try client.submit()
        client.flush()
        _ = stage.client.take()
        stage.server.admitted.first?.received(.success(reply(.created, #"{"tan":"0123456789"}"#)))
        stage.wait(.milliseconds(249))
        #expect(!stage.client.hasEnded)
        stage.wait(.milliseconds(1))
        #expect(stage.client.hasEnded)
        #expect(stage.client.bytes.isEmpty)
    }
}
