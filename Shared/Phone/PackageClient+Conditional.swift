import AsyncHTTPClient
package import ExposureFormat
import Foundation
import NIOHTTP1

/// Downloads that an app asks for by entity tag, so that nothing is sent twice.
extension PackageClient {
    /// What lies at a path.
    package enum Answer<Content: Sendable>: Sendable {
        /// Nothing but what the app has.
        case unchanged(maxAge: Int)
        /// Something else, its entity tag, and the seconds for which it is valid.
        case changed(Content, etag: String, maxAge: Int)
    }

    /// The keys of a package, from all its batches; the entity tag is that of the first.
    /// - Throws: `ArchiveDamage` if an archive is damaged or none of the trusted keys signed it.
    package func keys(of package: KeyPackage, ifNot tag: String?) async throws -> Answer<[ExportedKey]> {
        let path = path(of: package)
        return try await conditional(path, ifNot: tag) { try await keys(of: $0, at: path) }
    }

    /// The app's rules for downloads.
    /// - Throws: `ArchiveDamage` or `InvalidMessage` if the configuration can't be relied on.
    package func downloadRules(
        for system: DeviceClass.System, ifNot tag: String?
    ) async throws -> Answer<DownloadRules> {
        let path = "version/v2/app_config_\(system.rawValue)"
        return try await conditional("/\(path)", ifNot: tag) { body in
            guard let message = StaticMessage(path: path) else { throw Failure.unreadablePackage }
            return try DownloadRules(configuration: try signed(body).export, of: message, region: region)
        }
    }

    private func conditional<Content>(
        _ path: String, ifNot tag: String?, read: (Data) async throws -> Content
    ) async throws -> Answer<Content> {
        let (head, body) = try await get(path, ifNot: tag)
        let lifetime = head.headers.first(name: "cache-control")?.firstMatch(of: /max-age=(\d{1,9})/)
        let maxAge = lifetime.flatMap { Int($0.1) } ?? 0
        if head.status == .notModified, tag != nil { return .unchanged(maxAge: maxAge) }
        // Revoked files are recognised by their tag, so one without it is of no use.
        guard head.status == .ok, let etag = head.headers.first(name: "etag") else { throw Failure.missing }
        return .changed(try await read(body), etag: etag, maxAge: maxAge)
    }
}
