import AsyncHTTPClient
package import ExposureFormat
import Foundation
import NIOCore
import NIOHTTP1

/// How a phone finds and checks the published packages: indexes first, then archives, each with its signature.
package struct PackageClient: Sendable {
    private let base: String
    private let region: String
    private let trusted: [VerificationKey]
    private let http: HTTPClient

    /// What can be wrong with what a server publishes.
    package enum Failure: Error, Equatable {
        case missing
        case unreadableIndex
    }

    /// Seconds a phone waits for an answer, and the most bytes it takes.
    private static let patience: Int64 = 60
    private static let maximumSize = 32 << 20

    /// - Parameters:
    ///   - base: URL of the published tree's server, such as `http://localhost:8040`.
    ///   - trusted: the public keys that the phone was delivered with.
    package init(base: String, region: String, trusted: [VerificationKey]) {
        self.base = base
        self.region = region
        self.trusted = trusted
        http = HTTPClient()
    }

    /// Ends all connections. Must be called once.
    package func close() async {
        try? await http.shutdown()
    }

    /// The countries that the server publishes.
    package func countries() async throws -> [String] { try await index("", as: [String].self) }

    /// The complete days that are published, such as `2026-11-20`.
    package func days() async throws -> [String] { try await index("/\(region)/date", as: [String].self) }

    /// The hours of a day that are published.
    package func hours(of day: String) async throws -> [Int] {
        try await index("/\(region)/date/\(day)/hour", as: [Int].self)
    }

    /// A day's keys, of all its batches.
    /// - Throws: `ArchiveDamage` when an archive is damaged or none of the trusted keys signed it.
    package func keys(of day: String) async throws -> [ExportedKey] {
        try await package("/\(region)/date/\(day)")
    }

    /// An hour's keys, of all its batches.
    /// - Throws: `ArchiveDamage` when an archive is damaged or none of the trusted keys signed it.
    package func keys(of day: String, hour: Int) async throws -> [ExportedKey] {
        try await package("/\(region)/date/\(day)/hour/\(hour)")
    }

    /// Further batches lie beside the first, by number: `13`, `13.2`, `13.3`.
    private func package(_ path: String) async throws -> [ExportedKey] {
        let first = try await archive(path)
        var keys = first.keys
        for number in 1..<Int(first.header.batch.size) { keys += try await archive("\(path).\(number + 1)").keys }
        return keys
    }

    private func archive(_ path: String) async throws -> ExportArchive {
        let export = try ExportArchive.read(Array(try await fetch(path)))
        try export.archive.requireSignature(of: trusted)
        return export
    }

    private func index<Value: Decodable>(_ path: String, as type: Value.Type) async throws -> Value {
        let body = try await fetch(path)
        do {
            return try JSONDecoder().decode(type, from: body)
        } catch {
            throw Failure.unreadableIndex
        }
    }

    private func fetch(_ path: String) async throws -> Data {
        let request = HTTPClientRequest(url: "\(base)/version/v1/diagnosis-keys/country\(path)")
        let answer = try await http.execute(request, timeout: .seconds(Self.patience))
        let body = try await answer.body.collect(upTo: Self.maximumSize)
        guard answer.status == .ok else { throw Failure.missing }
        return Data(body.readableBytesView)
    }
}
