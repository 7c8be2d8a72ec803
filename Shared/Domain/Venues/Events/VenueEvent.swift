package import FoundationEssentials

/// A tracer's entry: somebody infectious was at a venue at a time. Phones that were there at that time tell their owners.
///
/// A day's tag holds for one UTC day, so an event over midnight has two tags. It stays one event: it is approved, revoked and told
/// once. What is published has a record for each tag, each with its part of the window, so that phones compare one tag and one
/// window (``records``).
package struct VenueEvent: Hashable, Sendable {
    /// Its identity, for repeats, corrections and revocation.
    package let id: UUID
    /// One of a venue with a number; of a venue with a seed one for each UTC day of the window, in order.
    package let tags: [VenueTag]
    /// When.
    package let window: VenueWindow
    /// What it asks of people.
    package let severity: VenueSeverity
    /// What phones say.
    package let message: VenueMessage
    /// Grows with each change.
    package let revision: Int32

    /// Nil unless the tags fit the window.
    package init?(
        id: UUID, tags: [VenueTag], window: VenueWindow, severity: VenueSeverity, message: VenueMessage,
        revision: Int32 = 1
    ) {
        guard let kind = tags.first?.kind, tags.allSatisfy({ $0.kind == kind }), revision > 0,
            tags.count == (kind == .number ? 1 : window.days.count), Set(tags).count == tags.count
        else { return nil }
        self.id = id
        self.tags = tags
        self.window = window
        self.severity = severity
        self.message = message
        self.revision = revision
    }

    /// What is published of it: one or two.
    package var records: [VenueEventRecord] {
        guard tags.first?.kind == .day else { return tags.map { record($0, window) } }
        return zip(tags, window.days).compactMap { tag, day in window.part(onDay: day).map { record(tag, $0) } }
    }

    private func record(_ tag: VenueTag, _ part: VenueWindow) -> VenueEventRecord {
        VenueEventRecord(
            event: id, tag: tag, window: part, severity: severity, message: message, revision: revision)
    }
}

/// A published tag with its window. A phone matches it if a visit to a venue with this tag overlaps the window, and tells its owner
/// once for each event.
package struct VenueEventRecord: Hashable, Sendable {
    /// The event's identity, which an event over midnight has in two records.
    package let event: UUID
    /// The venue's tag on the day of the window.
    package let tag: VenueTag
    /// When; within one UTC day if the tag is a day's.
    package let window: VenueWindow
    /// What it asks of people.
    package let severity: VenueSeverity
    /// What phones say.
    package let message: VenueMessage
    /// The greatest of an event counts.
    package let revision: Int32

    /// Creates a record that was read.
    package init(
        event: UUID, tag: VenueTag, window: VenueWindow, severity: VenueSeverity, message: VenueMessage, revision: Int32
    ) {
        self.event = event
        self.tag = tag
        self.window = window
        self.severity = severity
        self.message = message
        self.revision = revision
    }
}

/// An event that was revoked. Phones forget it and what they told of it.
package struct VenueTombstone: Hashable, Sendable {
    /// The event's identity.
    package let event: UUID
    /// Greater than the event's.
    package let revision: Int32

    /// Creates a tombstone that was read.
    package init(event: UUID, revision: Int32) {
        self.event = event
        self.revision = revision
    }
}

/// What an event asks of people.
package enum VenueSeverity: String, Hashable, Sendable, CaseIterable {
    /// To know of it and to watch for symptoms.
    case inform
    /// To be tested.
    case test
}

/// The texts that a tracer may choose from, each with what differs first. There is no free text: nobody can publish a name by mistake,
/// and every text is translated.
package enum VenueMessage: String, Hashable, Sendable, CaseIterable {
    /// Watch for symptoms.
    case watchForSymptoms = "watch-for-symptoms"
    /// Take a test.
    case takeTest = "take-test"
    /// Meet few people.
    case reduceContacts = "reduce-contacts"

    /// What a phone says in German.
    package var german: String {
        switch self {
        case .watchForSymptoms:
            "Achten Sie zehn Tage lang auf Symptome. Sie waren an einem Ort, an dem sich zur selben Zeit eine positiv getestete Person aufhielt."
        case .takeTest:
            "Lassen Sie sich testen, auch ohne Symptome. Sie waren an einem Ort, an dem sich zur selben Zeit eine positiv getestete Person aufhielt."
        case .reduceContacts:
            "Treffen Sie fünf Tage lang möglichst wenige Menschen. Sie waren an einem Ort, an dem sich zur selben Zeit eine positiv getestete Person aufhielt."
        }
    }

    /// What a phone says in English.
    package var english: String {
        switch self {
        case .watchForSymptoms:
            "Watch for symptoms for ten days. You were at a place at the same time as a person who tested positive."
        case .takeTest:
            "Take a test, even without symptoms. You were at a place at the same time as a person who tested positive."
        case .reduceContacts:
            "Meet as few people as possible for five days. You were at a place at the same time as a person who tested positive."
        }
    }
}
