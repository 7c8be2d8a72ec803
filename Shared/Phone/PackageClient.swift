package import ExposureFormat
import ExposureKeys
import FoundationEssentials
import HTTPTypes
import OutsideCalls
package import Running
import StrictJSON

/// Downloads and checks published packages as a phone does: indexes first, then archives, each with its signature.
///
/// It is on libcurl, with HTTP/2 by ALPN, and keeps connections: a download may be repeated.
package struct PackageClient: Sendable {
    let base: String
    let region: String
    /// The country of the app, whose reports it downloads.
    let country: String
    let trusted: [VerificationKey]
    private let calls: KeptCalls

    /// Why a server's answer is unusable.
    package enum Failure: Error, Equatable {
        case missing
        case unreadableIndex
        case unreadablePackage
    }

    /// The timeout of a request, and the maximum number of bytes of an answer, decompressed.
    private static let patience = Duration.seconds(60)
    private static let maximumSize = 32 << 20
    /// Where the diagnosis keys are.
    private static let keys = "/version/v1/diagnosis-keys/country"

    /// - Parameters:
    ///   - base: URL of the published tree's server, such as `https://localhost:8040`.
    ///   - authorities: path of the PEM file with the certificate authority that the phone trusts.
    ///   - region: whose keys it downloads: the country's, or `EUR` for those of all.
    ///   - country: the app's, by its two letters.
    ///   - trusted: the public keys that the phone was shipped with.
    package init(
        base: String, authorities: String, region: String, country: String = "DE", trusted: [VerificationKey]
    ) throws(ConfigurationProblem) {
        self.base = base
        self.region = region
        self.country = country
        self.trusted = trusted
        calls = try KeptCalls(authorities: authorities)
    }

    /// Closes all connections. Must be called once.
    package func close() async { await calls.close() }

    /// The countries that the server publishes.
    package func countries() async throws -> [String] { try await index(Self.keys, as: [String].self) }

    /// The complete days that are published, such as `2026-11-20`.
    package func days() async throws -> [String] { try await index("\(Self.keys)/\(region)/date", as: [String].self) }

    /// The hours of a day that are published.
    package func hours(of day: String) async throws -> [Int] {
        try await index("\(Self.keys)/\(region)/date/\(day)/hour", as: [Int].self)
    }

    /// A day's keys, from all its batches.
    /// - Throws: `ArchiveDamage` if an archive is damaged or none of the trusted keys signed it.
    package func keys(of day: String) async throws -> [ExportedKey] {
        try await package("\(Self.keys)/\(region)/date/\(day)")
    }

    /// An hour's keys, from all its batches.
    /// - Throws: `ArchiveDamage` if an archive is damaged or none of the trusted keys signed it.
    package func keys(of day: String, hour: Int) async throws -> [ExportedKey] {
        try await package("\(Self.keys)/\(region)/date/\(day)/hour/\(hour)")
    }

    private func package(_ path: String) async throws -> [ExportedKey] {
        try await keys(of: try await fetch(path), at: path)
    }

    /// The keys of a package, of which the first archive is there. Further batches are numbered: `13`, `13.2`, `13.3`.
    func keys(of first: Data, at path: String) async throws -> [ExportedKey] {
        let first = try archive(first)
        var keys = first.keys
        for number in 1..<Int(first.header.batch.size) {
            keys += try archive(try await fetch("\(path).\(number + 1)")).keys
        }
        return keys
    }

    /// The path of a package of this region.
    func path(of package: KeyPackage) -> String {
        let day = "\(Self.keys)/\(region)/date/\(package.day.name)"
        return package.hour.map { "\(day)/hour/\($0.ofDay)" } ?? day
    }

    private func archive(_ body: Data) throws -> ExportArchive {
        let export = try ExportArchive.read(Array(body))
        try export.archive.requireSignature(of: trusted)
        return export
    }

    func index<Value: Decodable>(_ path: String, as type: Value.Type) async throws -> Value {
        let body = try await fetch(path)
        do {
            return try StrictJSON.decode(type, from: body)
        } catch {
            throw Failure.unreadableIndex
        }
    }

    /// What lies at a path.
    func fetch(_ path: String) async throws -> Data {
        let answer = try await get(path)
        guard answer.status == .ok else { throw Failure.missing }
        return Data(answer.body)
    }

    /// The answer to a download, whatever it is.
    /// - Parameter isCompressed: whether gzip is asked for. Archives are compressed by themselves.
    func get(_ path: String, _ fields: HTTPFields = [:], isCompressed: Bool = false) async throws -> OutsideResponse {
        var request = OutsideRequest(base + path, fields: fields)
        request.takesGzip = isCompressed
        return try await calls.send(request, within: Self.patience, limit: Self.maximumSize)
    }
}
