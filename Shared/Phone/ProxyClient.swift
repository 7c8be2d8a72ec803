import Calling
import HTTPContract
import HTTPTypes
import OutsideCalls
import Running

/// Calls operations through the metadata proxy, as apps do (libcurl, HTTP/2 by ALPN).
///
/// Connections are kept, so libcurl may send a request twice (``KeptCalls``). That does no harm: a phone that lost an answer repeats
/// its request anyway, and every operation of the proxy allows it.
struct ProxyClient: Sendable {
    private let base: String
    private let calls: KeptCalls

    /// How long an app waits for an answer, and the most bytes of one.
    private static let patience = Duration.seconds(15)
    private static let answerLimit = 1 << 20

    init(base: String, authorities: String) throws(ConfigurationProblem) {
        self.base = base.last == "/" ? String(base.dropLast()) : base
        calls = try KeptCalls(authorities: authorities)
    }

    func close() async { await calls.close() }

    /// Calls an operation once.
    func call<Req: WireMessage, Res: WireMessage>(
        _ endpoint: Endpoint<Req, Res>, _ message: Req
    ) async throws(CallError) -> Res {
        let route = endpoint.route
        let answer: OutsideResponse
        do {
            let encoded = try message.encoded()
            let request = OutsideRequest(
                base + route.target(with: encoded.parameters), fields: route.fields(of: encoded),
                body: route.requestMedia == nil && route.method == .get ? nil : [UInt8](encoded.body))
            answer = try await calls.send(request, within: Self.patience, limit: Self.answerLimit)
        } catch OutsideProblem.tooLarge {
            throw .malformedAnswer
        } catch {
            throw .unavailable
        }
        return try endpoint.result(status: answer.status, body: answer.body) { answer.fields[$0] }
    }
}
