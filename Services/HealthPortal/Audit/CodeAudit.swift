import AuditFormat
import Credentials
import FoundationEssentials
import Running
import Schema

/// Keeps which officer made a code, or entered, approved, refused or revoked a venue event, sealed to the authority's auditor. Nobody
/// at the service can read it.
///
/// Only the day is in the clear, because it decides when the row goes. All rows have the same length.
struct CodeAudit: Sendable {
    private let store: AuditStore
    /// Nil: no audit is kept.
    private let auditor: AuditorPublicKey?
    private let clock: WallClock

    /// From `audit.key`, a file of 64 hexadecimal digits; without it no audit is kept.
    init(_ settings: Settings, store: AuditStore, clock: WallClock) throws(ConfigurationProblem) {
        self.store = store
        self.clock = clock
        guard settings.optionalString("audit.key") != nil else {
            auditor = nil
            return
        }
        guard let key = AuditorPublicKey(bytes: try settings.secretFile("audit.key")) else {
            throw settings.wrong("audit.key", "must name the file of the auditor's public key")
        }
        auditor = key
    }

    /// For `/ready`.
    var warnings: [String] {
        auditor == nil ? ["No audit is kept of who makes codes and decides on venues: audit.key isn't set."] : []
    }

    /// Stores who made a code; to be called before the code is shown.
    ///
    /// A repeat stores nothing more.
    /// - Parameter form: the number of the form that made the code, a secret of the session.
    func note(_ form: IdempotencyKey, kind: String, authority: String?, subject: String) async throws {
        guard let auditor else { return }
        let entry = AuditEntry(
            day: clock.now.dayNumber, kind: kind, authority: authority ?? "", subject: subject)
        try await store.insert(
            AuditRow(
                entry: try auditor.seal(entry), day: entry.day, form: Digest(sha256: Array("audit \(form.text)".utf8))))
    }

    /// Who did what with a venue event, to be stored with the act itself; nil if no audit is kept.
    func row(_ act: VenueAct, on event: UUID, by officer: SignedInOfficer, _ pseudonyms: Pseudonyms) throws -> AuditRow?
    {
        guard let auditor else { return nil }
        let entry = AuditEntry(day: clock.now.dayNumber, act, on: event, subject: officer.subject)
        return AuditRow(
            entry: try auditor.seal(entry), day: entry.day, form: pseudonyms.hash(of: act, on: event))
    }
}
