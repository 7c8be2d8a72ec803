import Crypto
import ExposureFormat
import ExposureKeys
import Foundation
import HTTPContract
import HTTPTypes
import Serving
import TestSupport
import Testing
import VenueEventFormat
import Venues

@testable import Phone

/// A file, whatever it is.
private struct AnyFile: WireMessage {
    let body: Data

    init(_ bytes: some Sequence<UInt8>) { body = Data(bytes) }

    static var mediaType: MediaType? { .json }
    static var headerNames: [HTTPField.Name] { [] }

    init(fields: HTTPFields, body: Data) throws(MalformedMessage) { self.body = body }

    func encoded() -> EncodedMessage { EncodedMessage(body: body) }
}

@Suite(.timeLimit(.minutes(5))) struct VenueDownloadTests {
    private typealias Stage = CheckInStage

    private static let key = SigningKey(
        P256.Signing.PrivateKey(), identity: SigningIdentity(appBundleID: "org.example.app"))
    /// The packages of 10:00 and 12:00.
    private static let hours = [Hour(containing: CheckInStage.at(10)), Hour(containing: CheckInStage.at(12))]

    /// A phone in front of a server with these files.
    private func withPackages<Result: Sendable>(
        _ files: [String: [UInt8]], _ body: (PackageClient) async throws -> Result
    ) async throws -> Result {
        let certificates = try TestCertificates()
        let listener = Listener(
            name: "public", host: "127.0.0.1", port: 0, security: .publicTLS(try certificates.files(role: nil))
        ) { routes in
            for (path, file) in files {
                let operation = Endpoint<NoContent, AnyFile>(.get, path, callers: [], bodyLimit: 0, summary: "A file.")
                routes.on(operation) { _, _ in AnyFile(file) }
            }
        }
        return try await withService(listeners: [listener]) { _ in
            let packages = try PackageClient(
                base: "https://localhost:\(try await listener.boundPort)",
                authorities: "\(certificates.directory)/authority.pem", region: "DE",
                trusted: [Self.key.verificationKey])
            do {
                let result = try await body(packages)
                await packages.close()
                return result
            } catch {
                await packages.close()
                throw error
            }
        }
    }

    private static func package(_ hour: Hour, _ reports: [VenueReport], by signer: SigningKey = key) throws -> [UInt8] {
        let bundle = try VenueReportPackage(containing: hour, reports: reports).bundle()
        return try VenueReportPackage.file(of: bundle, signatures: [signer.sign(bundle)])
    }

    private static func index(_ hours: Int = 2) -> [UInt8] {
        Array(#"{"oldest":\#(Self.hours[0].number),"latest":\#(Self.hours[1].number),"hours":\#(hours)}"#.utf8)
    }

    @Test func `a phone downloads what is due, finds its visit, and asks for nothing twice`() async throws {
        let report = try Stage.keys(Stage.code()).seal(try Stage.record(Stage.interval(10), Stage.interval(11)))
        let path = "/version/v1/venue-reports"
        let files = [
            path: Self.index(), "\(path)/\(Self.hours[0].number)": try Self.package(Self.hours[0], []),
            "\(path)/\(Self.hours[1].number)": try Self.package(Self.hours[1], [report]),
        ]
        try await withPackages(files) { packages in
            var diary = CheckInDiary()
            diary.checkIn(try Stage.code(), at: Stage.at(10), minutes: 60)
            let published = try #require(try await packages.venueReportHours())
            let due = diary.due(.venueReports, in: published)
            #expect(due == Self.hours)
            for hour in due {
                diary.compare(with: try await packages.venueReports(of: hour), of: hour, at: Stage.at(15))
            }
            #expect(diary.news(by: .shipped, at: Stage.at(15)).count == 1)
            #expect(diary.due(.venueReports, in: published).isEmpty)
        }
    }

    @Test func `nothing is taken from a package that is missing, of other hours, or of another signer`() async throws {
        let other = SigningKey(P256.Signing.PrivateKey(), identity: Self.key.identity)
        let path = "/version/v1/venue-reports"
        let files = [
            path: Self.index(4), "\(path)/\(Self.hours[0].number)": try Self.package(Self.hours[1], []),
            "\(path)/\(Self.hours[1].number)": try Self.package(Self.hours[1], [], by: other),
        ]
        try await withPackages(files) { packages in
            await #expect(throws: PackageClient.Failure.unreadableIndex) { try await packages.venueReportHours() }
            await #expect(throws: PackageClient.Failure.unreadablePackage) {
                try await packages.venueReports(of: Self.hours[0])
            }
            await #expect(throws: ArchiveDamage.signatureDoesNotMatch) {
                try await packages.venueReports(of: Self.hours[1])
            }
            await #expect(throws: PackageClient.Failure.missing) {
                try await packages.venueReports(of: Self.hours[1].advanced(by: 2))
            }
            await #expect(throws: PackageClient.Failure.missing) { try await packages.venueEvents() }
        }
    }

    @Test func `a tracer's signed entry is found in the diary`() async throws {
        let window = try #require(VenueWindow(start: Stage.interval(9), end: Stage.interval(12)))
        let event = try #require(
            VenueEvent(
                id: UUID(), tags: window.days.map { try Stage.keys(Stage.code()).tag(onDay: $0) }, window: window,
                severity: .test, message: .takeTest))
        let events = try #require(PublishedVenueEvents(records: event.records, revoked: []))
        let file = try SignedArchive(signing: events.encoded(), with: [Self.key]).zipped()
        try await withPackages(["/version/v1/venue-events": file]) { packages in
            var diary = CheckInDiary()
            diary.checkIn(try Stage.code(), at: Stage.at(10), minutes: 60)
            let published = try await packages.venueEvents()
            let news = diary.compare(with: published.records, tombstones: published.revoked, at: Stage.at(15))
            #expect(news.alerts.map(\.message) == [.takeTest])
        }
    }
}
