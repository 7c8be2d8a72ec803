import ExposureKeys
import Foundation
import Postgres
import Running
import Schema
import Statistics
import TestSupport
import Testing

@testable import Distribution

/// What was published on a day, and how long it took.
@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct PublicationFigureTests {
    /// Local midnight from Saturday to Sunday, 2026-10-25, in Berlin: a day of 25 hours.
    private static let sunday = Date(timeIntervalSince1970: 1_792_879_200)

    private func insert(_ hours: Range<Int32>, after seconds: Int32?, in stage: PublishingStage) async throws {
        try await stage.superuser.session { session in
            for hour in hours {
                try session.execute(
                    """
                    INSERT INTO distribution.published_hour (hour, keys, first_end, reports, published_after)
                    VALUES (\(hour), 140, 0, 10, \(nullable: seconds.map { $0 + hour - hours.lowerBound }))
                    """)
            }
        }
    }

    @Test("a day is released when an index names all of its hours, with the median and the worst delay")
    func day() async throws {
        try await PublishingStage.run { stage in
            let now = Self.sunday + 27 * 3600
            try await FigureRelease.run([.publishedEntries], at: Self.sunday - 3600, in: stage.client)
            let first = Int32(Self.sunday.timeIntervalSince1970 / 3600)
            try await insert(first - 5..<first, after: 1000, in: stage)
            try await insert(first..<first + 24, after: 300, in: stage)
            try await insert(first + 24..<first + 26, after: nil, in: stage)
            try await FigureRelease.run([.publishedEntries], at: now, in: stage.client)
            #expect(try await stage.database.released(.publishedEntries) == [])
            // The index that names the last two is written 700 seconds after the day.
            try await stage.store.noteDelay(at: Self.sunday + 25 * 3600 + 700)
            try await FigureRelease.run([.publishedEntries], at: now, in: stage.client)
            #expect(
                try await stage.database.released(.publishedEntries, .publicationDelay) == [
                    "publication-delay median 2026-10-25 1 312", "publication-delay worst 2026-10-25 1 700",
                    "published-entries keys 2026-10-25 1 3500", "published-entries reports 2026-10-25 1 250",
                ])
        }
    }

    @Test("a run notes the delay of the hours that its index is the first to name")
    func run() async throws {
        try await PublishingStage.run { stage in
            let hour = Hour(number: 494_400)
            try await stage.fold([(hour, [])])
            _ = try await stage.publisher.publish(asOf: hour.end)
            let read: @Sendable (Session) throws -> Int32?? = { session in
                try session.row("SELECT published_after FROM distribution.published_hour", as: Int32?.self)
            }
            let first = try await stage.client.session(read)
            #expect((first ?? nil).map { $0 > 0 } == true)
            _ = try await stage.publisher.publish(asOf: hour.end)
            #expect(try await stage.client.session(read) == first)
        }
    }
}
