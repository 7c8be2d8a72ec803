import CCurl
import Loop
package import Running
import Synchronization
import TLS

/// Calls servers over connections that it keeps, with HTTP/2 where the server speaks it (ALPN) and else HTTP/1.1 (libcurl).
///
/// It is what apps are built on: a client that shares no code with the suite's servers. It follows no redirect and keeps no cookie.
/// Each call has one deadline for everything, from the name's look-up to the last byte.
///
/// **libcurl sends a request again, also a POST, if a kept connection ends before the answer begins.** The server may have read
/// the first one. So it is for downloads, and for operations that bear a repeat, as those of the metadata proxy do: an app that
/// lost an answer repeats its request by itself, and those of Apple's DeviceCheck.
///
/// Each has a thread of its own: call ``close()`` when done.
package final class KeptCalls: Sendable {
    private let authorities: String?
    private let reach: OutsideReach
    private let loop: CurlLoop

    /// - Parameters:
    ///   - authorities: path of a PEM file with those that may have issued the servers' certificates; nil for this machine's.
    ///   - reach: by which way; by a proxy only if it is `everywhere`.
    /// - Throws: if the file has no authority.
    package init(authorities: String?, reach: OutsideReach = .direct) throws(ConfigurationProblem) {
        if let authorities { _ = try TLSFiles.anonymousClient(trusting: authorities) }
        guard let loop = CurlLoop() else { throw ConfigurationProblem("libcurl can't be set up") }
        self.authorities = authorities
        self.reach = reach
        self.loop = loop
    }

    /// Sends a request and collects its answer.
    ///
    /// - Parameters:
    ///   - time: for everything.
    ///   - limit: the most bytes of the answer's body, decompressed.
    /// - Throws: also if the task is cancelled, and after ``close()``.
    package func send(
        _ request: OutsideRequest, within time: Duration, limit: Int
    ) async throws(OutsideProblem) -> OutsideResponse {
        let isCancelled = Flag()
        let plan = CurlTransfer.Plan(
            request: request, authorities: authorities, reach: reach, isKept: true, limit: limit,
            end: .now() + time, isCancelled: isCancelled)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { loop.add(CurlLoop.Job(plan: plan, caller: $0)) }
        } onCancel: {
            isCancelled.set()
            loop.wakeUp()
        }
        return try result.get()
    }

    /// Closes all connections; calls that are under way fail. A second call does nothing.
    package func close() async { await loop.close() }
}
