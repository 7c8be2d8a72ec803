import Crypto
import ExposureKeys
import Foundation
import Postgres
import Running
import Schema
import Synchronization

/// The keys that uploads are sealed to, one an hour.
///
/// The public half is in the database, the private half a file in a directory of its own, which must never be backed
/// up: when the fold has destroyed it, nothing that remains can open the hour's uploads.
struct HourKeys: Sendable {
    let store: SubmissionStore
    let files: HourKeyFiles
    /// No key is made, and no hour closed, by a clock that is ahead of it.
    let clock: DatabaseClock

    /// The key for an upload now: the present hour's, or the next hour's where the present one is closed already.
    /// Makes it if nobody has.
    /// - Throws: ``ClockAhead`` when it is to be made for an hour that is still far away.
    func open(atOrAfter hour: Hour) async throws -> HourPublicKey {
        if let key = try await store.openKey(atOrAfter: hour) { return key }
        try await clock.require(hour.start)
        try await make(from: hour)
        guard let key = try await store.openKey(atOrAfter: hour) else { throw HourKeyProblem.notMade }
        return key
    }

    /// Makes keys, some of them ahead: for `count` hours from `hour` on, except those up to the last closed one; at least
    /// one key is open then.
    func make(from hour: Hour, count: Int = 2) async throws {
        let files = files
        try await store.insertKeys(from: hour, count: count) { hour in
            try files.create(hour)
        }
    }
}

/// Why an hour's key can't be had.
enum HourKeyProblem: OperatorProblem {
    case notMade
    case missing(Hour)
    case unreadable(Hour)

    var description: String {
        switch self {
        case .notMade: "No hour key could be made."
        case .missing(let hour):
            "The private key of hour \(hour.number) is missing from hourKeys.directory, and the hour has uploads."
        case .unreadable(let hour): "The private key of hour \(hour.number) can't be read."
        }
    }
}

/// The directory of private keys: a file of 32 bytes each, readable by the service only.
struct HourKeyFiles: Sendable {
    private let directory: URL

    init(directory: URL) { self.directory = directory }

    /// From `hourKeys.directory`, which must exist.
    init(_ settings: Settings) throws {
        directory = try settings.directory("hourKeys.directory")
    }

    /// Makes an hour's key, or finds the one that was made before its public half could be stored.
    /// - Returns: the public half.
    func create(_ hour: Hour) throws -> Curve25519.KeyAgreement.PublicKey {
        if let existing = try? read(hour) { return existing.publicKey }
        let key = Curve25519.KeyAgreement.PrivateKey()
        try DurableFile.write(key.rawRepresentation, to: url(hour), mode: 0o600)
        return key.publicKey
    }

    func read(_ hour: Hour) throws -> Curve25519.KeyAgreement.PrivateKey {
        guard let bytes = try? Data(contentsOf: url(hour)) else { throw HourKeyProblem.missing(hour) }
        guard let key = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: bytes) else {
            throw HourKeyProblem.unreadable(hour)
        }
        return key
    }

    /// Destroys the keys of all hours up to and including one. The blocks are overwritten first, for what that is worth
    /// on the storage at hand.
    func destroy(through last: Hour) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
            guard let hour = hour(named: name), hour <= last else { continue }
            try DurableFile.shred(url(hour))
        }
    }

    private func url(_ hour: Hour) -> URL { directory.appending(path: "hour-\(hour.number).key") }

    private func hour(named name: String) -> Hour? {
        guard name.hasPrefix("hour-"), name.hasSuffix(".key") else { return nil }
        return Int32(name.dropFirst(5).dropLast(4)).map(Hour.init(number:))
    }
}
