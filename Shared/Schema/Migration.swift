import Crypto
package import Postgres

/// One step of the schema. Steps are append-only: a step that was released never changes, and its checksum proves it.
package struct Migration: Sendable {
    /// Its place in the order; a database's version is the highest that was applied.
    package let number: Int32
    /// What it brings, as `vigil migrate` and the table `vigil.migration` call it.
    package let name: String
    /// Its statements; they run in one transaction with the record that they ran.
    package let script: Script

    init(_ number: Int32, _ name: String, _ script: Script) {
        self.number = number
        self.name = name
        self.script = script
    }

    /// SHA-256 of the script's text.
    var checksum: [UInt8] { Array(SHA256.hash(data: Array(script.text.utf8))) }

    /// All steps, in order.
    package static let all: [Migration] = [
        .first, .verificationLimits, .resultsToRedeem, .checkInReports, .publishedReports, .pushDispatcher,
        .selfProvingTANs,
        .ownLocks,
        .laboratories,
    ]
}
