import Credentials
import Running
import Schema

/// The keyed hashes that stand for teleTANs and officers in the database. Replicas share the key.
struct TeleTANHashes: Sendable {
    private let key: HashKey

    /// From the file that `secrets.teleTANKey` names.
    init(_ settings: Settings) throws {
        key = try settings.hashKey("secrets.teleTANKey")
    }

    /// The stored digest of a teleTAN. A teleTAN is short enough to be guessed, so the hash is keyed.
    func digest(of code: TeleTAN) -> Digest {
        key.digest(for: "teleTAN", Array(code.text.utf8))
    }

    /// The teleTAN of an officer's request: the same for the same key, officer and kind, and unpredictable to everybody else.
    func code(for key: IdempotencyKey, officer: Officer, kind: TeleTANKind) -> TeleTAN {
        TeleTAN(
            self.key.digest(
                for: "teleTAN of a request", Array(key.text.utf8), Array(officer.subject.utf8),
                Array(kind.rawValue.utf8)))
    }

    /// Identifies an officer in one hour, to count the teleTANs they issue.
    func digest(of officer: Officer, hour: Int32) -> Digest {
        key.digest(for: "officer", Array(officer.subject.utf8), Array("\(hour)".utf8))
    }
}
