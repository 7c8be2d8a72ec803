import HTTPContract
import HTTPMessage
import HTTPTypes
package import Loop

/// One request in progress, for responders below the level of `Endpoint`, such as pages.
package struct Exchange: Sendable {
    let head: RequestHead
    /// The caller according to its certificate; ``Caller/anonymous`` on listeners that require none.
    package let caller: Caller
    /// The connection's remote address, for limits by address. It must not reach a log, metric, error or inner request.
    package let remoteAddress: SocketAddress?
    private let core: Core
    private let task: LocalTo<RequestTask>

    init(_ exchange: ServerExchange, _ task: RequestTask) {
        head = exchange.head
        caller = exchange.caller
        remoteAddress = exchange.remoteAddress
        core = exchange.core
        self.task = LocalTo(task, on: core)
    }

    /// The request without its body, which ``body(upTo:)`` reads.
    package var request: Request {
        Request(method: head.method, target: head.target, headers: head.fields.fields)
    }

    /// The path without its query, as sent and not percent-decoded.
    package var path: Substring { head.target.prefix { $0 != "?" } }

    /// The query without its `?`, as sent; empty if there is none.
    package var query: Substring { head.target.drop { $0 != "?" }.dropFirst() }

    /// Host and port for which the request is, as sent; nil only in HTTP/1.0.
    package var authority: String? { head.authority }

    /// Reads the whole body; possible once.
    ///
    /// - Parameter limit: in bytes. A larger `Content-Length` is refused before anything is read; a body without a correct
    ///   length is refused as soon as it exceeds the limit.
    /// - Throws: `Problem.contentTooLarge`; ``ConnectionLost`` if the connection fails, or if the body takes longer than
    ///   ``Limits/body`` (the answer, 408, has already been sent then).
    package func body(upTo limit: Int) async throws -> [UInt8] {
        // A responder that isn't on its core, such as another actor's.
        if core.isCurrent, let complete = try task.value.completeBody(upTo: limit) { return complete }
        return try await withCheckedThrowingContinuation { continuation in
            core.execute { task.value.read(upTo: limit, continuation) }
        }
    }
}

/// The connection failed or was closed before the whole request arrived.
package struct ConnectionLost: Error {
    /// For a handler that closes the connection instead of answering.
    package init() {}
}
