import Loop

/// A request that waits for a connection or for its answer. It belongs to its pool's core.
package final class ClientExchange {
    let request: EncodedRequest
    /// The most bytes of the answer's body.
    let limit: Int
    /// When waiting for a connection ends.
    let startBy: Moment
    /// When the answer must be complete.
    let endBy: Moment
    /// Whether it has been sent before, over a connection that had ended.
    var isRepeated = false
    /// Where it was sent, until it ends.
    var connection: ClientConnection?
    private var finish: ((Result<ClientResponse, CallFailure>) -> Void)?
    private var isWithdrawn = false

    init(
        _ request: EncodedRequest, limit: Int, startBy: Moment, endBy: Moment,
        _ finish: @escaping (Result<ClientResponse, CallFailure>) -> Void
    ) {
        self.request = request
        self.limit = limit
        self.startBy = startBy
        self.endBy = endBy
        self.finish = finish
    }

    /// Whether nobody waits for it any more.
    var isOver: Bool { finish == nil || isWithdrawn }

    /// Tells the outcome, once.
    func end(_ result: Result<ClientResponse, CallFailure>) {
        let finish = self.finish
        self.finish = nil
        connection = nil
        finish?(result)
    }

    /// Gives up if it waits for a connection: it is dropped when its turn comes. If it has been sent, the outcome is still told,
    /// so that callers who disappear cost no connection.
    package func withdraw() {
        if connection == nil { isWithdrawn = true }
    }

    /// Gives up. A server that has the request already may still carry it out.
    package func cancel() {
        guard !isOver else { return }
        let connection = self.connection
        end(.failure(.cancelled))
        connection?.abandon()
    }
}
