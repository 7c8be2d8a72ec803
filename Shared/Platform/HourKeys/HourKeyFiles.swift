package import ExposureKeys
package import FoundationEssentials
package import Running

package import enum Crypto.Curve25519

/// The directory of the hours' private keys: a file of 32 bytes each, readable only by the fold's process.
///
/// It must never be backed up. Once the fold has destroyed an hour's private key, nothing can open the rows that were sealed to its public
/// half.
package struct HourKeyFiles: Sendable {
    private static let setting = "hourKeys.directory"

    private let directory: URL

    /// Keys in a directory, which must exist.
    package init(directory: URL) { self.directory = directory }

    /// From `hourKeys.directory`, which must exist.
    package init(_ settings: Settings) throws {
        directory = try settings.directory(Self.setting)
    }

    /// Refuses a configuration that gives a server this directory: the server seals what it accepts and must not be able to open it.
    /// - Parameter fold: the command of the fold that goes with the server.
    package static func refuse(in settings: Settings, of fold: String) throws(ConfigurationProblem) {
        guard settings.optionalString(setting) == nil else {
            throw ConfigurationProblem(
                "\(setting) belongs to `\(fold)`, a process of its own: remove it here, and let this process have no access to "
                    + "the directory.")
        }
    }

    /// Creates an hour's key, or finds one that was created before its public half could be stored.
    /// - Returns: the public half.
    package func create(_ hour: Hour) throws -> Curve25519.KeyAgreement.PublicKey {
        if let existing = try? read(hour) { return existing.publicKey }
        let key = Curve25519.KeyAgreement.PrivateKey()
        try DurableFile.write(key.rawRepresentation, to: url(hour), mode: 0o600)
        return key.publicKey
    }

    /// An hour's key.
    /// - Throws: ``HourKeyProblem``.
    package func read(_ hour: Hour) throws -> Curve25519.KeyAgreement.PrivateKey {
        guard let bytes = try? Data(contentsOf: url(hour)) else { throw HourKeyProblem.missing(hour) }
        guard let key = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: bytes) else {
            throw HourKeyProblem.unreadable(hour)
        }
        return key
    }

    /// Destroys the keys of all hours up to and including one.
    ///
    /// The blocks are overwritten first, which helps only as far as the storage overwrites in place.
    package func destroy(through last: Hour) throws {
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

/// Why an hour's private key can't be used.
package enum HourKeyProblem: OperatorProblem {
    /// It was lost, or another directory is mounted.
    case missing(Hour)
    /// Its file is damaged.
    case unreadable(Hour)

    package var description: String {
        switch self {
        case .missing(let hour):
            "The private key of hour \(hour.number) is missing from hourKeys.directory, and the hour has uploads or is open "
                + "for them."
        case .unreadable(let hour): "The private key of hour \(hour.number) can't be read."
        }
    }
}
