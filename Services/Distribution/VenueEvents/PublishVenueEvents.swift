import FoundationEssentials
import Logging
import ObjectStore
import Running
import Schema
import VenueEventFormat
import Venues

/// Publishes tracers' events every few minutes, and wakes phones for new ones.
///
/// It shares the lock and the tree with the hourly run, which also writes the files (``PublishingRun``). It reads the objects that it
/// would write and writes those that differ, so a repeat and a run after a killed one change nothing that is right. If an hourly run
/// holds the lock for longer than a statement may take, this run fails and is repeated within a minute.
struct PublishVenueEvents: Sendable {
    let publisher: Publisher

    /// Seconds between two runs.
    static let interval: TimeInterval = 180
    /// Seconds between two waves: Apple wakes an app for two or three silent pushes an hour (Apple, "Pushing background updates to
    /// your App"), and new packages need some of them.
    static let waveDistance: TimeInterval = 1_800

    struct Outcome: Sendable, Equatable {
        /// Events that phones can match.
        var events = 0
        var revoked = 0
        /// Objects written.
        var changes = 0
        /// Whether phones were woken.
        var isAnnounced = false

        var metadata: Logger.Metadata {
            [
                "events": "\(events)", "revoked": "\(revoked)", "changes": "\(changes)",
                "announced": "\(isAnnounced)",
            ]
        }
    }

    /// One run.
    /// - Throws: ``ClockAhead`` before anything is published; ``UnreadableVenueEvents``.
    func run(at now: Date) async throws -> Outcome {
        try await publisher.clock.require(now)
        return try await publisher.store.exclusively { lead in
            let publisher = publisher.guarded(by: lead)
            let published = try await publisher.store.venueEvents(at: now)
            let events = Set(published.records.map(\.event))
            var outcome = Outcome(events: events.count, revoked: published.revoked.count)
            for (key, content) in try await VenueEventFiles(published, signedBy: publisher.packages).contents
            where try await publisher.tree.read(key) != content {
                try await publisher.tree.write(content, to: key)
                outcome.changes += 1
            }
            // After the file: whoever is woken finds the event.
            if let announcement = publisher.announcement, !events.isEmpty,
                try await publisher.store.claimWave(for: events, at: now, distance: Self.waveDistance)
            {
                await announcement.send()
                outcome.isAnnounced = true
            }
            return outcome
        }
    }

    /// At start, then every three minutes.
    func job(in runtime: ServiceRuntime) -> RecurringJob {
        RecurringJob("publish-venue-events", in: runtime) { now in
            now.addingTimeInterval(Self.interval)
        } work: { now in
            try await run(at: now).metadata
        }
    }
}
