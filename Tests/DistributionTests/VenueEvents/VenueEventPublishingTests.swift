import Calling
import Crypto
import ExposureFormat
import ExposureKeys
import Foundation
import HTTPContract
import ObjectStore
import Postgres
import PublishedTree
import PushAPI
import Schema
import Serving
import Synchronization
import TLS
import TestSupport
import Testing
import VenueEventFormat
import Venues

@testable import Distribution

/// Tracers' events as phones download them.
@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct VenueEventPublishingTests {
    /// 2026-05-26, at noon.
    static let now = Date(timeIntervalSince1970: 1_779_796_800)
    /// The interval that begins then.
    static let interval = Int32(1_779_796_800 / 600)
    static let number = VenueTag([UInt8](repeating: 9, count: 48))
    static let day = VenueTag([UInt8](repeating: 5, count: 32))
    static let nextDay = VenueTag([UInt8](repeating: 6, count: 32))

    struct Stage: Sendable {
        let stage: PublishingStage
        let publishing: PublishVenueEvents

        /// Enters an event, which nobody has approved.
        func enter(
            _ tags: [VenueTag?] = [number], from start: Int32 = interval - 12, to end: Int32 = interval - 6
        ) async throws -> UUID {
            let id = UUID()
            _ = try await stage.superuser.session { session in
                try session.execute(
                    """
                    INSERT INTO venues.event (event_id, tags, start_interval, end_interval, severity, message, author)
                    VALUES (
                        \(id), \(tags.compactMap { $0?.bytes }), \(start), \(end), 'test', 'take-test',
                        \([UInt8](repeating: 1, count: 32)))
                    """)
            }
            return id
        }

        func decide(_ event: UUID, _ decision: Int16) async throws {
            _ = try await stage.superuser.session { session in
                try session.execute(
                    "SELECT venues.decide(\(event), \(decision), \([UInt8](repeating: 2, count: 32)))")
            }
        }

        func approved(
            _ tags: [VenueTag?] = [number], from start: Int32 = interval - 12, to end: Int32 = interval - 6
        ) async throws -> UUID {
            let id = try await enter(tags, from: start, to: end)
            try await decide(id, 1)
            return id
        }

        /// The signed file, as a phone reads it.
        func published() throws -> PublishedVenueEvents {
            let archive = try SignedArchive.read(
                Array(Data(contentsOf: stage.root.appending(path: "version/v1/venue-events"))))
            try archive.requireSignature(of: [stage.verificationKey])
            return try #require(PublishedVenueEvents(archive.export))
        }

        func json(_ name: String) throws -> [String: [[String: Any]]] {
            let file = try Data(contentsOf: stage.root.appending(path: "version/v1/\(name)"))
            return try #require(JSONSerialization.jsonObject(with: file) as? [String: [[String: Any]]])
        }
    }

    private func run(
        settings: [String: String] = [:], _ body: @Sendable (Stage) async throws -> Void
    ) async throws {
        try await PublishingStage.run(minimumKeys: 1, settings: settings) { stage in
            let publisher = try stage.publisher
            try await body(Stage(stage: stage, publishing: PublishVenueEvents(publisher: publisher)))
            await publisher.announcement?.service.close()
        }
    }

    @Test func `approved events are published, waiting and refused ones aren't, and revoked ones are tombstones`()
        async throws
    {
        try await run { stage in
            let outcome = try await stage.publishing.run(at: Self.now)
            #expect(outcome == .init(changes: 3))
            #expect(try stage.published() == PublishedVenueEvents(records: [], revoked: []))

            _ = try await stage.enter()
            let refused = try await stage.enter()
            try await stage.decide(refused, 2)
            #expect(try await stage.publishing.run(at: Self.now).changes == 0)

            let approved = try await stage.approved()
            let revoked = try await stage.approved()
            try await stage.decide(revoked, 3)
            #expect(try await stage.publishing.run(at: Self.now) == .init(events: 1, revoked: 1, changes: 3))
            let published = try stage.published()
            #expect(published.records.map(\.event) == [approved])
            #expect(published.records.map(\.tag) == [Self.number])
            #expect(published.revoked == [VenueTombstone(event: revoked, revision: 2)])
            let item = try #require(try stage.json("current-exposure-events.json")["items"]?.first)
            #expect(item["eventId"] as? String == approved.uuidString.lowercased())
            let venue = try #require(try stage.json("risky-venues")["venues"]?.first)
            #expect(venue["messageType"] as? String == "M2")
            // The rest of the tree is the hourly run's, which hasn't run.
            let names = ["venue-events", "risky-venues", "current-exposure-events"]
            let flaws = try await stage.stage.verify().flaws
            #expect(flaws.filter { flaw in names.contains { flaw.contains($0) } } == [])
        }
    }

    @Test func `an event over midnight has a record for each day`() async throws {
        try await run { stage in
            // 26 May begins 72 intervals before noon.
            let midnight = Self.interval - 72
            let id = try await stage.approved([Self.day, Self.nextDay], from: midnight - 6, to: midnight + 3)
            _ = try await stage.publishing.run(at: Self.now)
            let records = try stage.published().records
            #expect(records.map(\.event) == [id, id])
            #expect(records.map(\.tag) == [Self.day, Self.nextDay])
            #expect(records.first?.window.end == records.last?.window.start)
            #expect(try stage.json("current-exposure-events.json")["items"]?.isEmpty == true)
            #expect(try stage.json("risky-venues")["venues"]?.count == 2)
        }
    }

    @Test func `the same events have the same bytes, also after the loss of the tree and from the hourly run`()
        async throws
    {
        try await run { stage in
            for _ in 0..<5 { _ = try await stage.approved() }
            _ = try await stage.publishing.run(at: Self.now)
            let files = try stage.stage.files()
            #expect(files.count == 3)
            #expect(try await stage.publishing.run(at: Self.now).changes == 0)
            try stage.stage.removeTree()
            #expect(try await stage.publishing.run(at: Self.now).changes == 3)
            #expect(try stage.stage.files() == files)
            try stage.stage.removeTree()
            // The hour that ended before the events' time, so nothing has expired; the run may not remove them either.
            let hour = Hour(containing: Self.now).advanced(by: -1)
            try await stage.stage.fold(hour, try Samples.keys(0..<2))
            for _ in 0..<2 {
                try await stage.stage.publish(through: hour)
                #expect(try stage.stage.files().filter { files.keys.contains($0.key) } == files)
            }
            #expect(try await stage.stage.verify().flaws == [])
        }
    }

    @Test func `a run that is killed anywhere is repaired by the next one`() async throws {
        try await run { stage in
            _ = try await stage.approved()
            _ = try await stage.publishing.run(at: Self.now)
            let files = try stage.stage.files()
            for path in files.keys {
                for content in [nil, Data(), Data("x".utf8)] {
                    var damaged = files
                    damaged[path] = content
                    try stage.stage.restore(damaged)
                    #expect(try await stage.publishing.run(at: Self.now).changes == 1)
                    #expect(try stage.stage.files() == files)
                }
            }
        }
    }

    @Test func `events and tombstones leave the files 14 days after their end`() async throws {
        try await run { stage in
            let old = try await stage.approved(from: Self.interval - 12, to: Self.interval - 6)
            let revoked = try await stage.approved(from: Self.interval - 12, to: Self.interval - 6)
            try await stage.decide(revoked, 3)
            let expiry = Self.now.addingTimeInterval(14 * 86_400 - 3_600)
            let soon = try await stage.stage.store.venueEvents(at: expiry.addingTimeInterval(-1))
            #expect(soon.records.map(\.event) == [old])
            #expect(soon.revoked.count == 1)
            let gone = try await stage.stage.store.venueEvents(at: expiry)
            #expect(gone.records.isEmpty && gone.revoked.isEmpty)
        }
    }

    @Test func `with a clock that is ahead nothing changes`() async throws {
        try await run { stage in
            _ = try await stage.approved()
            let ahead = Date(timeIntervalSince1970: 4_102_444_800)
            await #expect(throws: ClockAhead.self) { try await stage.publishing.run(at: ahead) }
            #expect(try stage.stage.files().isEmpty)
        }
    }

    @Test func `an event of another build stops these files, and no key`() async throws {
        try await run { stage in
            _ = try await stage.approved()
            _ = try await stage.publishing.run(at: Self.now)
            let files = try stage.stage.files()
            let unknown = try await stage.approved()
            _ = try await stage.stage.superuser.session {
                try $0.execute("UPDATE venues.event SET message = 'from-the-future' WHERE event_id = \(unknown)")
            }
            await #expect(throws: UnreadableVenueEvents.self) { try await stage.publishing.run(at: Self.now) }
            let hour = Hour(containing: Self.now).advanced(by: -1)
            try await stage.stage.fold(hour, try Samples.keys(0..<2))
            try await stage.stage.publish(through: hour)
            #expect(try stage.stage.keys(of: hour) == Samples.data(0..<2))
            #expect(try stage.stage.files().filter { files.keys.contains($0.key) } == files)
        }
    }

    @Test func `verification finds a file that says something else than the signed one`() async throws {
        try await run { stage in
            _ = try await stage.approved()
            _ = try await stage.publishing.run(at: Self.now)
            let files = try stage.stage.files()
            for path in ["version/v1/risky-venues", "version/v1/current-exposure-events.json"] {
                var changed = files
                changed[path] = Data(#"{"items":[]}"#.utf8)
                try stage.stage.restore(changed)
                let flaws = try await stage.stage.verify().flaws
                #expect(flaws.contains("\(path): it differs from the signed events."))
            }
        }
    }

    // MARK: Waves

    /// A dispatcher that counts announcements.
    private static func withDispatcher(
        _ body: @Sendable (_ settings: [String: String], _ count: @Sendable () -> Int) async throws -> Void
    ) async throws {
        let certificates = try TestCertificates()
        let files = try certificates.files(role: .distribution)
        let port = TestPort.free()
        let announcements = Counted()
        let listener = Listener(
            name: "internal", host: "127.0.0.1", port: port,
            security: .mutualTLS(try certificates.files(role: .pushDispatcher))
        ) { routes in
            routes.on(PushAPI.announce) { _, _ in
                announcements.value.withLock { $0 += 1 }
                return NoContent()
            }
        }
        try await withService(listeners: [listener]) { _ in
            try await body(
                [
                    "push.url": "https://localhost:\(port)", "tls.certificate": files.certificate,
                    "tls.key": files.key, "tls.authorities": files.authorities ?? "",
                ]
            ) { announcements.value.withLock { $0 } }
        }
    }

    private final class Counted: Sendable {
        let value = Mutex(0)
    }

    @Test func `phones are woken once for new events, at most every half hour, and for nothing else`() async throws {
        try await Self.withDispatcher { settings, count in
            try await run(settings: settings) { stage in
                func run(minutes: Double) async throws -> Bool {
                    try await stage.publishing.run(at: Self.now.addingTimeInterval(minutes * 60)).isAnnounced
                }
                #expect(try await run(minutes: 0) == false)
                _ = try await stage.enter()
                #expect(try await run(minutes: 3) == false)
                let first = try await stage.approved()
                #expect(try await run(minutes: 6))
                #expect(try await run(minutes: 9) == false)
                // Two more within the half hour share the next wave.
                _ = try await stage.approved()
                #expect(try await run(minutes: 12) == false)
                _ = try await stage.approved()
                #expect(try await run(minutes: 35) == false)
                #expect(try stage.published().records.count == 3)
                #expect(try await run(minutes: 36))
                #expect(try await run(minutes: 39) == false)
                // A revocation wakes nobody.
                try await stage.decide(first, 3)
                #expect(try await run(minutes: 90) == false)
                #expect(count() == 2)
            }
        }
    }

    @Test func `two runs at once send one wave`() async throws {
        try await Self.withDispatcher { settings, count in
            try await run(settings: settings) { stage in
                _ = try await stage.approved()
                let sent = try await withThrowingTaskGroup(of: Bool.self) { group in
                    for _ in 0..<2 {
                        group.addTask { try await stage.publishing.run(at: Self.now).isAnnounced }
                    }
                    return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
                }
                #expect(sent == 1)
                #expect(count() == 1)
            }
        }
    }
}
