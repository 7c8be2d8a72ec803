import ExposureKeys
import FoundationEssentials
import StrictJSON
package import Venues

/// All events that tracers published, as phones download them: one short file in JSON.
///
/// `{"version":1,"events":[{"eventId","venueTag","start","end","severity","messageId","revision"}],"revoked":[{"eventId","revision"}]}`
///
/// `venueTag` is in lower-case hexadecimal digits; instants are `2026-05-26T12:00:00Z`. Distribution signs it as `export.bin` of a
/// ``ExposureFormat/SignedArchive``. The order depends on content alone, so the same events always have the same bytes.
package struct PublishedVenueEvents: Hashable, Sendable {
    /// By event, then by time.
    package let records: [VenueEventRecord]
    /// By event.
    package let revoked: [VenueTombstone]

    /// The most records that a file may have: some two megabytes.
    package static let limit = 10_000

    /// Nil for more than ``limit`` records or tombstones, or if an event is both published and revoked.
    package init?(records: [VenueEventRecord], revoked: [VenueTombstone]) {
        guard records.count <= Self.limit, revoked.count <= Self.limit,
            Set(records.map(\.event)).isDisjoint(with: revoked.map(\.event))
        else { return nil }
        self.records = records.sorted {
            ($0.event.uuidString, $0.window.start, $0.tag.hex) < ($1.event.uuidString, $1.window.start, $1.tag.hex)
        }
        self.revoked = revoked.sorted { $0.event.uuidString < $1.event.uuidString }
    }

    /// Reads a file; nil if it isn't one, as a whole.
    package init?(_ bytes: [UInt8]) {
        guard let file = try? StrictJSON.decode(File.self, from: Data(bytes)), file.version == 1 else { return nil }
        let records = file.events.compactMap(\.record)
        let revoked = file.revoked.compactMap(\.tombstone)
        guard records.count == file.events.count, revoked.count == file.revoked.count else { return nil }
        self.init(records: records, revoked: revoked)
    }

    /// The file.
    package func encoded() throws -> [UInt8] {
        try CanonicalJSON.encode(
            File(version: 1, events: records.map(File.Event.init), revoked: revoked.map(File.Tombstone.init)))
    }
}

private struct File: Codable {
    let version: Int
    let events: [Event]
    let revoked: [Tombstone]

    struct Event: Codable {
        let eventId: String
        let venueTag: String
        let start: String
        let end: String
        let severity: String
        let messageId: String
        let revision: Int32

        init(_ record: VenueEventRecord) {
            eventId = record.event.uuidString.lowercased()
            venueTag = record.tag.hex
            start = UTCTime.text(record.window.startDate)
            end = UTCTime.text(record.window.endDate)
            severity = record.severity.rawValue
            messageId = record.message.rawValue
            revision = record.revision
        }

        var record: VenueEventRecord? {
            guard let event = UUID(uuidString: eventId), event.uuidString.lowercased() == eventId,
                let tag = VenueTag(hex: venueTag), tag.hex == venueTag,
                let window = UTCTime.window(start, end), tag.kind == .number || window.days.count == 1,
                let severity = VenueSeverity(rawValue: severity), let message = VenueMessage(rawValue: messageId),
                revision > 0
            else { return nil }
            return VenueEventRecord(
                event: event, tag: tag, window: window, severity: severity, message: message, revision: revision)
        }
    }

    struct Tombstone: Codable {
        let eventId: String
        let revision: Int32

        init(_ tombstone: VenueTombstone) {
            eventId = tombstone.event.uuidString.lowercased()
            revision = tombstone.revision
        }

        var tombstone: VenueTombstone? {
            guard let event = UUID(uuidString: eventId), event.uuidString.lowercased() == eventId, revision > 0 else {
                return nil
            }
            return VenueTombstone(event: event, revision: revision)
        }
    }
}

/// JSON whose bytes depend on the value alone.
enum CanonicalJSON {
    static func encode(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(value))
    }
}

/// Instants as `2026-05-26T12:00:00Z`, and in no other form.
enum UTCTime {
    static func text(_ date: Date) -> String { date.formatted(.iso8601) }

    static func date(_ text: String) -> Date? {
        guard text.utf8.count == 20, let date = try? Date(text, strategy: .iso8601), Self.text(date) == text else {
            return nil
        }
        return date
    }

    /// Nil unless both are on the grid of ten minutes and at most a day apart.
    static func window(_ start: String, _ end: String) -> VenueWindow? {
        guard let from = date(start), let to = date(end), from.timeIntervalSince1970 >= 0,
            let window = VenueWindow(start: IntervalNumber(containing: from), end: IntervalNumber(containing: to)),
            window.startDate == from, window.endDate == to
        else { return nil }
        return window
    }
}
