import ExposureKeys
import FoundationEssentials
import Postgres
import VenueEventFormat
import Venues

/// Tracers' events that were approved, as the view `venues.published_event` shows them, and the waves that were sent for them.
extension DistributionStore {
    /// What must be published at an instant: approved events and tombstones whose 14 days haven't passed.
    /// - Throws: ``UnreadableVenueEvents`` if a row isn't an event of this build.
    func venueEvents(at instant: Date) async throws -> PublishedVenueEvents {
        let rows = try await database.session { session in
            try session.rows(
                """
                SELECT event_id, tags, start_interval, end_interval, severity, message, revision, revoked
                FROM venues.published_event
                """, as: UUID.self, [[UInt8]].self, Int32.self, Int32.self, String.self, String.self, Int32.self,
                Bool.self)
        }
        var (records, tombstones): ([VenueEventRecord], [VenueTombstone]) = ([], [])
        for (id, tags, start, end, severity, message, revision, isRevoked) in rows {
            guard
                let window = VenueWindow(
                    start: IntervalNumber(rawValue: UInt32(clamping: start)),
                    end: IntervalNumber(rawValue: UInt32(clamping: end)))
            else { throw UnreadableVenueEvents() }
            guard !window.hasExpired(at: instant) else { continue }
            if isRevoked {
                tombstones.append(VenueTombstone(event: id, revision: revision))
                continue
            }
            let known = tags.compactMap { VenueTag($0) }
            guard known.count == tags.count, let severity = VenueSeverity(rawValue: severity),
                let message = VenueMessage(rawValue: message),
                let event = VenueEvent(
                    id: id, tags: known, window: window, severity: severity, message: message, revision: revision)
            else { throw UnreadableVenueEvents() }
            records += event.records
        }
        guard let published = PublishedVenueEvents(records: records, revoked: tombstones) else {
            throw UnreadableVenueEvents()
        }
        return published
    }

    /// Records a wave for the events that had none, unless there are none or the last wave was a short time ago.
    ///
    /// The record comes before the wave: a run that is killed in between costs a wave, which the dispatcher's schedule makes up for,
    /// and never sends two.
    /// - Returns: whether a wave is to be sent now.
    func claimWave(for events: Set<UUID>, at now: Date, distance: TimeInterval) async throws -> Bool {
        let events = events.sorted { $0.uuidString < $1.uuidString }
        return try await database.transaction { session in
            let last = try session.row(
                "SELECT max(announced_at) FROM distribution.announced_event", as: Date?.self
            ).flatMap { $0 }
            if let last, now < last.addingTimeInterval(distance) { return false }
            return try session.execute(
                """
                INSERT INTO distribution.announced_event (event_id, announced_at)
                SELECT event_id, \(now) FROM unnest(\(events)) AS events (event_id)
                ON CONFLICT DO NOTHING
                """) > 0
        }
    }
}
