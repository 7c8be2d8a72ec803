import Loop

/// Writes the body of an answer piece by piece.
package struct ResponseWriter: Sendable {
    private let core: Core
    private let exchange: LocalTo<ServerExchange>
    /// What has been written, where a version of HTTP sends it as a whole.
    private(set) var collected: [UInt8]?
    private(set) var isFinished = false

    /// The most bytes that are collected.
    private static let maxCollected = 16 << 20

    init(_ exchange: ServerExchange, collects: Bool) {
        core = exchange.core
        self.exchange = LocalTo(exchange, on: core)
        collected = collects ? [] : nil
    }

    /// Writes a piece, and waits while the client reads too slowly.
    ///
    /// - Throws: ``ConnectionLost``.
    package mutating func write(_ bytes: [UInt8]) async throws(ConnectionLost) {
        if collected != nil {
            collected?.append(contentsOf: bytes)
            guard (collected?.count ?? 0) <= Self.maxCollected, !Task.isCancelled else { throw ConnectionLost() }
            return
        }
        let (core, exchange) = (core, exchange)
        let isWritten = await withCheckedContinuation { continuation in
            core.execute {
                switch exchange.value.write(bytes, resume: { continuation.resume(returning: true) }) {
                case true?: continuation.resume(returning: true)
                case nil: continuation.resume(returning: false)
                // It is resumed later.
                case false?: break
                }
            }
        }
        if !isWritten || Task.isCancelled { throw ConnectionLost() }
    }

    /// The body is complete.
    package mutating func finish() { isFinished = true }
}
