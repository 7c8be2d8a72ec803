package import HTTPTypes

/// Answers the requests that arrive on one core, without waiting: the level on which routes, the proxy and files are built.
///
/// All calls come on the core.
package protocol RequestServer: AnyObject {
    /// What makes all answers equally long; nil if they are as long as their content.
    var padding: AnswerPadding? { get }

    /// The header of a request has arrived.
    ///
    /// - Returns: what receives the rest; nil if the server has refused with ``ServerExchange/refuse(_:reading:)``.
    func begin(_ exchange: ServerExchange) -> (any ExchangeHandler)?

    /// The answer to a request that the listener refuses before it has a handler, which isn't counted elsewhere: 400, 431,
    /// 501 or 505 for a violation of HTTP, 408 for a header that isn't complete, 503 if memory is short.
    func refusal(_ status: HTTPResponse.Status) -> ServerAnswer

    /// The answer to a request for which there is no memory, and which therefore doesn't begin.
    func shortOfMemory(_ exchange: ServerExchange) -> ServerAnswer
}

extension RequestServer {
    /// Answers are as long as they are.
    package var padding: AnswerPadding? { nil }
    /// The same as for a request that has begun.
    package func shortOfMemory(_ exchange: ServerExchange) -> ServerAnswer { refusal(.serviceUnavailable) }
}

/// Receives one request behind its header, and answers by ``ServerExchange/send(_:)``.
///
/// After ``overruled(_:)``, ``gone()``, or an answer nothing more is called.
package protocol ExchangeHandler: AnyObject {
    /// A piece of the body.
    func body(_ bytes: Span<UInt8>)

    /// The request is complete. The answer may be sent now or later.
    func end()

    /// The listener ends the request: its body (408) or its answer (503) is late, memory is short (503), or its body breaks
    /// the rules of HTTP (400).
    ///
    /// - Returns: what is sent instead.
    func overruled(_ status: HTTPResponse.Status) -> ServerAnswer

    /// The caller has disconnected, or abandoned the request.
    func gone()
}
