package import ExposureFormat
import ExposureKeys
package import FoundationEssentials
import HTTPTypes
import OutsideCalls

/// Downloads that an app asks for by entity tag, so that nothing is sent twice.
extension PackageClient {
    /// What lies at a path.
    package enum Answer<Content: Sendable>: Sendable {
        /// Nothing but what the app has, the seconds for which that is valid, and the server's time.
        case unchanged(maxAge: Int, serverTime: Date?)
        /// Something else, its entity tag, and the same.
        case changed(Content, etag: String, maxAge: Int, serverTime: Date?)
    }

    /// The keys of a package, from all its batches; the entity tag is that of the first.
    /// - Throws: `ArchiveDamage` if an archive is damaged or none of the trusted keys signed it.
    package func keys(of package: KeyPackage, ifNot tag: String?) async throws -> Answer<[ExportedKey]> {
        let path = path(of: package)
        return try await conditional(path, ifNot: tag) { try await keys(of: $0, at: path) }
    }

    /// The rules in the app's configuration.
    /// - Throws: `ArchiveDamage` or `InvalidMessage` if the configuration can't be relied on.
    package func rules(for system: DeviceClass.System, ifNot tag: String?) async throws -> Answer<AppRules> {
        let path = "version/v2/app_config_\(system.rawValue)"
        return try await conditional("/\(path)", ifNot: tag) { body in
            guard let message = StaticMessage(path: path) else { throw Failure.unreadablePackage }
            return try AppRules(configuration: try signed(body).export, of: message, region: region)
        }
    }

    /// What lies at a path, unless the app has it.
    func conditional<Content>(
        _ path: String, ifNot tag: String?, isCompressed: Bool = false, read: (Data) async throws -> Content
    ) async throws -> Answer<Content> {
        let answer = try await get(path, tag.map { [.ifNoneMatch: $0] } ?? [:], isCompressed: isCompressed)
        let lifetime = answer.fields[.cacheControl]?.firstMatch(of: /max-age=(\d{1,9})/)
        let maxAge = lifetime.flatMap { Int($0.1) } ?? 0
        let serverTime = answer.fields[.date].flatMap { Date(httpDate: $0) }
        if answer.status == .notModified, tag != nil { return .unchanged(maxAge: maxAge, serverTime: serverTime) }
        // Revoked files are recognised by their tag, so one without it is of no use.
        guard answer.status == .ok, let etag = answer.fields[.eTag] else { throw Failure.missing }
        return .changed(try await read(Data(answer.body)), etag: etag, maxAge: maxAge, serverTime: serverTime)
    }
}

extension Date {
    /// The instant of a `Date` field, in the format that servers write (RFC 9110, 5.6.7); nil for any other text.
    init?(httpDate text: String) {
        let form = /[A-Z][a-z]{2}, (\d{2}) ([A-Z][a-z]{2}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) GMT/
        guard let parts = text.wholeMatch(of: form)?.output,
            let month = Self.months.firstIndex(of: String(parts.2)),
            let day = Day(name: "\(parts.3)-\(month < 9 ? "0" : "")\(month + 1)-\(parts.1)"),
            let hour = Double(parts.4), let minute = Double(parts.5), let second = Double(parts.6),
            hour < 24, minute < 60, second <= 60
        else { return nil }
        self = day.firstHour.start + hour * 3600 + minute * 60 + second
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}
