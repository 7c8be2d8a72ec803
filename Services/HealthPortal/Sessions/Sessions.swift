import Credentials
import FoundationEssentials
import HTTPContract
import Pages
import Running
import Schema
import Serving

/// The officers' sessions. Replicas share them through the database, and every request reads its row.
struct Sessions: Sendable {
    let store: SessionStore
    let keys: SessionKeys
    let refreshing: RefreshTokens
    let clock: WallClock

    /// Deletes a browser's cookie.
    static let removal = HostCookie.removed(SessionID.cookie)

    /// The session of a request.
    ///
    /// - Throws: ``Refusal/notSignedIn``; ``Refusal/providerAway`` if the officer's token has ended meanwhile.
    func open(_ request: Request) async throws -> OpenSession {
        guard let session = try await find(request) else { throw Refusal.notSignedIn }
        return session
    }

    /// The same for a page that everybody sees; nil without a session.
    func find(_ request: Request) async throws -> OpenSession? {
        guard let id = try SessionID(of: request), let row = try await store.row(id.digest),
            let ends = SessionLifetime.end(of: row, at: clock.now),
            let officer = keys.open(row.officer, as: SignedInOfficer.self, for: id.bytes, .officer)
        else { return nil }
        let now = clock.now
        if row.usedMinute < now.minuteNumber { try await store.touch(id.digest, minute: now.minuteNumber) }
        guard let current = try await refreshing.current(officer, of: id) else { return nil }
        let codes = row.codes.flatMap { keys.open($0, as: CodeState.self, for: id.bytes, .codes) }
        return OpenSession(
            id: id, officer: current, codes: codes ?? CodeState(), codesVersion: row.codesVersion, ends: ends)
    }

    /// Begins the session of an officer who has just signed in, always under a new identifier, and ends the browser's old one.
    ///
    /// An identifier that somebody planted in the browser therefore never becomes a session's (fixation).
    func begin(_ officer: SignedInOfficer, replacing request: Request) async throws -> HostCookie {
        let id = SessionID()
        let minute = clock.now.minuteNumber
        try await store.insert(
            SessionStore.New(
                id: id.digest, subject: keys.hashes(subject: officer.subject)[0],
                providerSession: officer.providerSession.map { keys.hashes(providerSession: $0)[0] },
                officer: try keys.seal(officer, for: id.bytes, .officer), minute: minute),
            replacing: (try? SessionID(of: request))?.digest)
        return try HostCookie(SessionID.cookie, id.text)
    }

    /// Ends the session of a request.
    ///
    /// - Returns: the officer; nil if there was none.
    func end(_ request: Request) async throws -> SignedInOfficer? {
        guard let id = try SessionID(of: request), let sealed = try await store.delete(id.digest) else { return nil }
        return keys.open(sealed, as: SignedInOfficer.self, for: id.bytes, .officer)
    }

    /// Ends the sessions that a log-out token of the provider names: by the provider's session, else by the officer.
    ///
    /// - Returns: false if this token was used before.
    func end(subject: String?, providerSession: String?, token: String) async throws -> Bool {
        try await store.delete(
            subjects: providerSession == nil ? subject.map(keys.hashes(subject:)) ?? [] : [],
            providerSessions: providerSession.map(keys.hashes(providerSession:)) ?? [],
            token: keys.hash(logOutToken: token), minute: clock.now.minuteNumber)
    }

    /// What a session has done with codes by now; nil if it has ended.
    func codes(of session: OpenSession) async throws -> CodeState? {
        try await store.row(session.id.digest)?.codes.flatMap {
            keys.open($0, as: CodeState.self, for: session.id.bytes, .codes)
        }
    }

    /// Stores what a session did with codes, unless another request of it did so meanwhile.
    func save(_ codes: CodeState, of session: OpenSession) async throws -> Bool {
        try await store.update(
            session.id.digest, codes: keys.seal(codes, for: session.id.bytes, .codes), from: session.codesVersion)
    }
}

/// How long sessions last.
enum SessionLifetime {
    /// When a session ends without another request; nil if it has ended.
    static func end(of row: SessionStore.Row, at now: Date) -> Date? {
        let minute = min(
            row.usedMinute + RetentionRule.idleMinutes, row.openedMinute + RetentionRule.sessionMinutes)
        // A request now starts the idle time again.
        guard now.minuteNumber < minute else { return nil }
        let next = min(
            now.minuteNumber + RetentionRule.idleMinutes, row.openedMinute + RetentionRule.sessionMinutes)
        return Date(timeIntervalSince1970: Double(next) * 60)
    }
}
