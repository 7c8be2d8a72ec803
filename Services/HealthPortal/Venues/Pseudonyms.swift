import AuditFormat
import Credentials
import FoundationEssentials
import Running
import Schema

/// Keyed hashes that stand for officers in venue entries, so that a second person can be told from the first, and nobody is named.
struct Pseudonyms: Sendable {
    private let key: HashKey

    /// From the file that `secrets.officerKey` names. Entries that wait keep the hash of their author, so the key isn't the sessions',
    /// which changes at any time.
    init(_ settings: Settings) throws {
        key = try settings.hashKey("secrets.officerKey")
    }

    /// The pseudonym of an officer.
    func of(_ officer: SignedInOfficer) -> Digest { key.digest(for: "venue officer", Array(officer.subject.utf8)) }

    /// What finds a repeated audit entry. Without the key it doesn't lead from an entry of the audit to an event.
    func hash(of act: VenueAct, on event: UUID) -> Digest {
        key.digest(for: "venue audit", Array(act.rawValue.utf8), Array(event.uuidString.utf8))
    }
}
