import Crypto
import Postgres

/// One step of a schema. Its number is its place in ``Schema/migrations``, from 1.
struct Migration: Sendable {
    /// What it brings, as `vigil migrate` and the table `vigil.migration` call it.
    let name: String
    /// The migration of a former version that did the same, while the whole database had one version; see ``FormerVersion``.
    let formerNumber: Int32?
    /// Its statements. They run in one transaction with the record that they ran.
    let script: Script

    init(_ name: String, formerly formerNumber: Int32? = nil, _ script: Script) {
        self.name = name
        self.formerNumber = formerNumber
        self.script = script
    }

    /// SHA-256 of the script's text: proof that a released step is still the same.
    var checksum: [UInt8] { Array(SHA256.hash(data: Array(script.text.utf8))) }
}
