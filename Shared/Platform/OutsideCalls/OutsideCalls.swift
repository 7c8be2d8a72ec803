import CCurl
import HTTPTypes
import Loop
package import Running
import Synchronization
package import TLS

/// Calls servers that we don't run, one connection for each call (libcurl).
///
/// It speaks HTTP/1.1, follows no redirect, decompresses nothing, keeps no cookie, and uses the proxies that `HTTPS_PROXY`,
/// `HTTP_PROXY` and `NO_PROXY` name. libcurl would repeat a POST over a connection that it keeps, so none is kept. Each call has one
/// deadline for everything, from the name's look-up to the last byte.
package struct OutsideCalls: Sendable {
    /// Our certificate in use; nil without one.
    package let watchedTLS: (any WatchedTLS)?
    private let authorities: String?
    private let identity: TLSFiles?
    private let reach: OutsideReach

    /// Calls without a certificate of our own.
    ///
    /// - Parameter authorities: path of a PEM file with those that may have issued the server's certificate; nil for this machine's.
    ///   The file is read at each call, so renewed authorities need no restart.
    /// - Throws: if the file has no authority now.
    package init(authorities: String? = nil, reach: OutsideReach = .everywhere) throws(ConfigurationProblem) {
        if let authorities { _ = try TLSFiles.anonymousClient(trusting: authorities) }
        self.authorities = authorities
        self.reach = reach
        identity = nil
        watchedTLS = nil
    }

    /// Calls to servers that require a certificate of ours.
    ///
    /// The files are read at each call. A proxy, even one behind TLS, is shown no certificate.
    ///
    /// - Parameter peer: the server's name in metrics and log.
    /// - Throws: if the files aren't in order now.
    package init(
        _ files: TLSFiles, peer: String, reach: OutsideReach = .everywhere
    ) throws(ConfigurationProblem) {
        watchedTLS = try ReloadedContext.outsideClient(files, peer: peer, protocols: [])
        authorities = files.authorities
        identity = files
        self.reach = reach
    }

    /// Sends a request and collects its answer.
    ///
    /// - Parameters:
    ///   - time: for everything.
    ///   - limit: the most bytes of the answer's body.
    /// - Throws: also if the task is cancelled.
    package func send(
        _ request: OutsideRequest, within time: Duration, limit: Int
    ) async throws(OutsideProblem) -> OutsideResponse {
        let end = Moment.now() + time
        try await CallSlots.shared.take(within: time)
        defer { CallSlots.shared.giveBack() }
        let isCancelled = Flag()
        let transfer = CurlTransfer.Plan(
            request: request, authorities: authorities, identity: identity, reach: reach, limit: limit, end: end,
            isCancelled: isCancelled)
        let result = await withTaskCancellationHandler {
            await Blocking.run { Result { () throws(OutsideProblem) in try CurlTransfer(transfer).perform() } }
        } onCancel: {
            isCancelled.set()
        }
        return try result.get()
    }
}

/// Whether a call's task was cancelled.
final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .relaxed) }
    func set() { value.store(true, ordering: .relaxed) }
}
