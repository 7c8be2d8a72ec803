import HTTPMessage
import HTTPTypes
package import Loop
package import Running
import ServiceLifecycle
package import TLS

/// Calls one server over HTTP/1.1, with pooled connections on each core.
///
/// It follows no redirects and decompresses nothing. If a connection that was kept ends without a byte of an answer, the request
/// is sent once more: the server has closed it just then and hardly taken the request.
///
/// TLS files are checked while it runs as a service. When they have changed, new connections use the new ones, and the old
/// connections end after their answers. Run it as a service, or call ``close()`` when done.
package final class HTTPClient: Service, TLSUser {
    /// The TLS files in use; nil without a client certificate.
    package let watchedTLS: (any WatchedTLS)?
    /// The server, and how many connections to it there may be.
    package let peer: ClientPeer
    private let pools: [(core: Core, pool: LocalTo<LazyPool>)]
    /// Where requests from outside of the cores go: always to the same, so that they share its connections.
    private let home: Core

    private final class LazyPool {
        var pool: ClientPool?
        var isClosed = false
    }

    /// A client of one of our own services: TLS 1.3 with certificates on both sides.
    ///
    /// - Parameters:
    ///   - base: scheme, host and port, such as `https://localhost:8010`.
    ///   - tls: certificate, key and authorities; nil for plain HTTP in tests.
    ///   - name: the service's name in metrics.
    ///   - change: changes what is preset.
    package convenience init(
        base: String, tls: TLSFiles?, name: String, on cores: Cores = .shared,
        _ change: (inout ClientPeer) -> Void = { _ in }
    ) throws(ConfigurationProblem) {
        let context = try tls.map { files throws(ConfigurationProblem) in
            try ReloadedContext.client(files, peer: name)
        }
        try self.init(base, context: { context?.current }, watched: context, on: cores, change)
    }

    /// A client without a certificate.
    ///
    /// - Parameter authorities: path of the PEM file with the authorities that may have issued the server's certificate; it is read
    ///   once. Nil for this machine's.
    package convenience init(
        base: String, authorities: String?, on cores: Cores = .shared, _ change: (inout ClientPeer) -> Void = { _ in }
    ) throws(ConfigurationProblem) {
        let context = try Self.anonymous(authorities, base)
        try self.init(base, context: { context }, watched: nil, on: cores, change)
    }

    private static func anonymous(_ authorities: String?, _ base: String) throws(ConfigurationProblem) -> TLSContext? {
        if let authorities { return try TLSFiles.anonymousClient(trusting: authorities) }
        return base.hasPrefix("https:") ? try TLSFiles.anonymousClient() : nil
    }

    private init(
        _ base: String, context: @escaping @Sendable () -> TLSContext?, watched: (any WatchedTLS)?, on cores: Cores,
        _ change: (inout ClientPeer) -> Void
    ) throws(ConfigurationProblem) {
        guard let origin = Origin(base) else {
            throw ConfigurationProblem("\(base) must be a URL such as https://verification-server:8010.")
        }
        // A plain peer has no certificate to ask for, and a TLS peer needs a context.
        let isSecure = origin.isSecure
        guard !isSecure || context() != nil else {
            throw ConfigurationProblem("\(base) needs TLS files, because its scheme is https.")
        }
        var peer = ClientPeer(origin, context: { isSecure ? context() : nil })
        change(&peer)
        self.peer = peer
        home = cores.next()
        watchedTLS = watched
        pools = cores.all.map { ($0, LocalTo(LazyPool(), on: $0)) }
    }

    deinit {
        // Who never ran or closed it, fails for another reason, which is what should be told.
        for (core, pool) in pools { core.execute { Self.close(pool.value) } }
    }

    // MARK: On a core

    /// The connections of a core of the client's cores, on which this must be called.
    package func pool(on core: Core) -> ClientPool? {
        guard let lazy = pools.first(where: { $0.core === core })?.pool.value else { return nil }
        if let pool = lazy.pool { return pool }
        let pool = ClientPool(peer, on: core, share: pools.count)
        if lazy.isClosed { pool.close() }
        lazy.pool = pool
        return pool
    }

    // MARK: From a task

    /// Sends a request and collects its answer.
    ///
    /// On a core of the client's it stays there; from elsewhere it goes to one of them.
    ///
    /// - Parameters:
    ///   - time: for everything, from waiting for a connection to the last byte.
    ///   - limit: the most bytes of the answer's body.
    /// - Throws: also if the task is cancelled.
    package func send(
        _ request: ClientRequest, within time: Duration, limit: Int
    ) async throws(CallFailure) -> ClientResponse {
        let encoded = try request.encoded(for: peer.origin)
        let current = Core.current.flatMap { core in pools.first { $0.core === core }?.core }
        let core = current ?? home
        let end = Moment.now() + time
        let call = LocalTo(Call(), on: core)
        let result = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                if core.isCurrent {
                    begin(encoded, limit, end, call.value, on: core, continuation)
                } else {
                    core.execute { self.begin(encoded, limit, end, call.value, on: core, continuation) }
                }
            }
        } onCancel: {
            core.execute { call.value.cancel() }
        }
        return try result.get()
    }

    private func begin(
        _ request: EncodedRequest, _ limit: Int, _ end: Moment, _ call: Call, on core: Core,
        _ continuation: UnsafeContinuation<Result<ClientResponse, CallFailure>, Never>
    ) {
        guard !call.isCancelled, let pool = pool(on: core) else {
            return continuation.resume(returning: .failure(.cancelled))
        }
        let exchange = pool.exchange(request, limit: limit, startBy: end, endBy: end) {
            continuation.resume(returning: $0)
        }
        call.exchange = exchange
    }

    /// What a cancelled task has begun.
    private final class Call {
        var isCancelled = false
        var exchange: ClientExchange?

        func cancel() {
            isCancelled = true
            exchange?.cancel()
        }
    }

    // MARK: Service

    /// Waits for shutdown, then closes all connections.
    package func run() async throws {
        try? await gracefulShutdown()
        await close()
    }

    /// Closes all connections; a second call does nothing.
    package func close() async {
        for (core, pool) in pools { await core.submit { Self.close(pool.value) } }
    }

    private static func close(_ lazy: LazyPool) {
        lazy.isClosed = true
        lazy.pool?.close()
    }
}
