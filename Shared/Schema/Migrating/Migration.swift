import Crypto
import Postgres

/// One step of a schema. Its number is its place in ``Schema/migrations``, from 1.
struct Migration: Sendable {
    /// The step's name, as shown by `vigil migrate` and stored in the table `vigil.migration`.
    let name: String
    /// The step's statements. They run in the same transaction as the record of the step.
    let script: Script

    init(_ name: String, _ script: Script) {
        self.name = name
        self.script = script
    }

    /// SHA-256 of the script's text, which proves that a released step is unchanged.
    var checksum: [UInt8] { Array(SHA256.hash(data: Array(script.text.utf8))) }
}
