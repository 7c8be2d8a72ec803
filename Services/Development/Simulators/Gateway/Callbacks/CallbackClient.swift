import HTTPTypes
import OutsideCalls
import Running
import ServiceLifecycle
import TLS

/// Calls the countries, with the gateway's client certificate, and at no address of a private network.
struct CallbackClient: Service, TLSUser {
    private let calls: OutsideCalls

    /// From `callback.certificate`, `callback.key` and `callback.authorities`.
    init(_ settings: Settings) throws {
        calls = try OutsideCalls(
            TLSFiles(settings, prefix: "callback"), peer: "callback", reach: .publicOrLoopback)
    }

    var watchedTLS: (any WatchedTLS)? { calls.watchedTLS }

    /// Waits for shutdown: its TLS files are watched as long as it runs.
    func run() async throws { try? await gracefulShutdown() }

    /// - Returns: the status of the answer; nil if there was none within ten seconds.
    func get(_ url: String) async -> Int? {
        let request = OutsideRequest(url, fields: [.userAgent: "EFGS Callback Engine"])
        return try? await calls.send(request, within: .seconds(10), limit: 1 << 16).status.code
    }
}
