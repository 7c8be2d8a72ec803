import Credentials
import ExposureKeys
import FoundationEssentials
import Postgres
import Venues

/// The table `venues.event`: tracers' entries, of which it knows tags and no venue. Only `venues.decide` changes one.
struct VenueStore: Sendable {
    private let database: PostgresClient

    init(_ database: PostgresClient) {
        self.database = database
    }

    /// What became of a form's entries.
    enum Entry: Sendable, Equatable {
        /// Stored, now or by an earlier request of the same form.
        case stored
        /// An earlier request of the form had other values.
        case otherValues
        /// There are ``VenueLimit/rows`` entries.
        case full
    }

    /// Stores entries that wait for a second person, and who made them, all or none.
    ///
    /// - Parameter audit: one for each event; empty if no audit is kept.
    func enter(_ events: [VenueEvent], by author: Digest, audit: [AuditRow]) async throws -> Entry {
        try await database.undoableTransaction { session in
            var stored = 0
            for event in events {
                stored += try session.execute(
                    """
                    INSERT INTO venues.event (event_id, tags, start_interval, end_interval, severity, message, author)
                    VALUES (
                        \(event.id), \(event.tags.map(\.bytes)), \(Int32(clamping: event.window.start.rawValue)),
                        \(Int32(clamping: event.window.end.rawValue)), \(event.severity.rawValue),
                        \(event.message.rawValue), \(author.bytes)
                    ) ON CONFLICT DO NOTHING
                    """)
            }
            if stored == events.count {
                // Only here: a form that was sent before gets its answer however many entries there are.
                if try VenueLimit.isExceeded("venues.event", in: session) { throw Undone(outcome: Entry.full) }
                for row in audit { try AuditStore.insert(row, in: session) }
                return .stored
            }
            // The form was sent before. It may have been decided on meanwhile, and revoked events have no tags.
            let known = try Self.events(in: session, of: events.map(\.id))
            guard stored == 0, known.count == events.count,
                known.allSatisfy({ known in events.contains { known.hasValues(of: $0) } })
            else { throw Undone(outcome: Entry.otherValues) }
            return .stored
        }
    }

    /// All entries, those that wait first, then the latest first.
    func events() async throws -> [EnteredVenue] {
        try await database.session { session in try Self.events(in: session, of: nil) }
    }

    private static func events(in session: Session, of ids: [UUID]?) throws -> [EnteredVenue] {
        let chosen: SQL = if let ids { "event_id = ANY(\(ids))" } else { "true" }
        return try session.rows(
            """
            SELECT event_id, tags, start_interval, end_interval, severity, message, state, author
            FROM venues.event WHERE \(chosen)
            ORDER BY state > 0, end_interval DESC, start_interval DESC, event_id
            """, as: UUID.self, [[UInt8]].self, Int32.self, Int32.self, String.self, String.self, Int16.self,
            [UInt8].self
        ).compactMap(EnteredVenue.init)
    }

    /// Decides on an entry, and stores who did, unless the decision was made before.
    ///
    /// - Parameter audit: nil if no audit is kept.
    /// - Returns: the entry's state afterwards; nil if there is no such entry.
    func decide(
        _ event: UUID, _ decision: VenueDecision, by officer: Digest, audit: AuditRow?
    ) async throws -> EnteredVenue.State? {
        try await database.transaction { session in
            let row = try session.row(
                "SELECT state, changed FROM venues.decide(\(event), \(decision.state.rawValue), \(officer.bytes))",
                as: Int16.self, Bool.self)
            guard let (state, hasChanged) = row else { return nil }
            if hasChanged, let audit { try AuditStore.insert(audit, in: session) }
            return EnteredVenue.State(rawValue: state)
        }
    }
}

/// A tracer's entry as it is stored.
struct EnteredVenue: Sendable {
    let id: UUID
    /// None of a revoked one.
    let tags: [VenueTag]
    let window: VenueWindow
    let severity: VenueSeverity
    let message: VenueMessage
    let state: State
    /// The author's pseudonym.
    let author: Digest

    enum State: Int16, Sendable, CaseIterable {
        /// For a second person.
        case waiting = 0
        case approved = 1
        case refused = 2
        case revoked = 3
    }

    /// Nil for what this version doesn't know.
    fileprivate init?(
        id: UUID, tags: [[UInt8]], start: Int32, end: Int32, severity: String, message: String, state: Int16,
        author: [UInt8]
    ) {
        guard
            let window = VenueWindow(
                start: IntervalNumber(rawValue: UInt32(clamping: start)),
                end: IntervalNumber(rawValue: UInt32(clamping: end))),
            let severity = VenueSeverity(rawValue: severity), let message = VenueMessage(rawValue: message),
            let state = State(rawValue: state), let author = Digest(bytes: author)
        else { return nil }
        self.init(
            id: id, tags: tags.compactMap { VenueTag($0) }, window: window, severity: severity, message: message,
            state: state, author: author)
    }

    init(
        id: UUID, tags: [VenueTag], window: VenueWindow, severity: VenueSeverity, message: VenueMessage, state: State,
        author: Digest
    ) {
        (self.id, self.tags, self.window, self.severity) = (id, tags, window, severity)
        (self.message, self.state, self.author) = (message, state, author)
    }

    fileprivate func hasValues(of event: VenueEvent) -> Bool {
        id == event.id && (tags == event.tags || state == .revoked) && window == event.window
            && severity == event.severity && message == event.message
    }
}

/// What a second person decides on an entry.
enum VenueDecision: String, Sendable, CaseIterable {
    case approve, refuse, revoke

    /// The entry's state afterwards.
    var state: EnteredVenue.State {
        switch self {
        case .approve: .approved
        case .refuse: .refused
        case .revoke: .revoked
        }
    }
}
