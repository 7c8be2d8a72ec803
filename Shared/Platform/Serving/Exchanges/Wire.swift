import Loop

/// What a connection's version of HTTP does differently. There are two: ``HTTP1Wire`` and ``HTTP2Wire``.
protocol Wire: AnyObject {
    // What the connection reports.
    func receive(_ bytes: Span<UInt8>) -> Int
    func inputEnded()
    func canWrite()
    /// The listener is shutting down: what is on its way is still answered.
    func drain()
    func closed()

    /// When something is late next.
    var nextDeadline: Moment? { get }
    /// Ends what is late.
    func expire(_ now: Moment)

    // What an exchange asks.
    func bodyWanted(by exchange: ServerExchange)
    /// Sends 100 (Continue).
    func inviteBody(of exchange: ServerExchange)
    func encode(_ answer: ServerAnswer, for exchange: ServerExchange) -> EncodedAnswer?
    /// - Parameter isComplete: whether the whole request has arrived.
    func send(_ encoded: EncodedAnswer, for exchange: ServerExchange, isComplete: Bool)
    func hangUp(_ exchange: ServerExchange)

    func beginStream(_ answer: ServerAnswer, for exchange: ServerExchange) -> Bool
    func write(_ bytes: [UInt8], for exchange: ServerExchange, resume: @escaping () -> Void) -> Bool
    func endStream(_ exchange: ServerExchange)
}
