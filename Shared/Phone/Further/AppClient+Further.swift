package import FoundationEssentials
import FurtherAPI
import HTTPContract

/// The requests of the Further app.
extension AppClient {
    /// Posts answers. Whatever they are, the body has the length of the longest.
    /// - Parameters:
    ///   - key: signs the call; nil where no signature is needed.
    ///   - now: the phone's time.
    /// - Throws: `CallError.refused` with 401 if the signature isn't accepted, and 403 if another key owns the id.
    package func send(_ post: FurtherPhone.Post, signedBy key: FurtherKey? = nil, at now: Date) async throws {
        if post.isBatch {
            guard let batch = HealthBatch(post.reports) else { throw MalformedMessage() }
            let message = try SignedMessage(batch)
            let route = FurtherAPI.batch.route
            _ = try await proxy.call(FurtherAPI.batch, try key?.signed(message, to: route, at: now) ?? message)
        } else {
            guard let report = post.reports.first else { return }
            let message = try SignedMessage(report)
            let route = FurtherAPI.report.route
            _ = try await proxy.call(FurtherAPI.report, try key?.signed(message, to: route, at: now) ?? message)
        }
    }

    /// Registers an installation's key. A repeat gets the same answer.
    package func register(_ key: FurtherKey) async throws {
        _ = try await proxy.call(FurtherAPI.key, try key.registration())
    }
}
