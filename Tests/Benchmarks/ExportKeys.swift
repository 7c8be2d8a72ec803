import ArgumentParser
import Crypto
import ExposureFormat
import ExposureKeys
import Foundation

/// Keys in memory to a signed archive, on one core. Prints seconds and bytes as JSON, and can write the workload for others.
struct ExportKeys: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export-keys", abstract: "Seconds and bytes of an export of keys that are in memory.")

    @Option(help: "How many keys.")
    var keys = 600_000

    @Option(help: "How often; the fastest counts.")
    var repetitions = 5

    @Option(help: "Writes the keys to a file, for the programs it is compared with, and ends.")
    var workload: String?

    @Option(help: "Writes the archive to a file.")
    var archive: String?

    func run() throws {
        let keys = ExportWorkload.keys(keys)
        if let workload { return try ExportWorkload.file(of: keys).write(to: URL(filePath: workload)) }
        let signer = SigningKey(
            P256.Signing.PrivateKey(), identity: SigningIdentity(appBundleID: "de.rki.coronawarnapp"))
        let hour = Hour(number: 498_648)
        let header = ExportHeader(hours: hour..<hour.advanced(by: 1), region: "DE")
        let published = keys.map(PublishedKey.init)
        var best = Double.infinity
        var bytes: [UInt8] = []
        for _ in 0..<repetitions {
            let started = ContinuousClock.now
            for set in KeySet.batches(of: published, atMost: max(1, published.count)) {
                let files = try KeyExport.files(of: set, headers: [header], signers: [signer.identity])
                for file in files { bytes = try file.archive(signatures: [try signer.sign(file.digest)]) }
            }
            best = min(best, started.duration(to: .now) / .seconds(1))
        }
        if let archive { try Data(bytes).write(to: URL(filePath: archive)) }
        print(#"{"keys":\#(keys.count),"seconds":\#(best),"bytes":\#(bytes.count)}"#)
    }
}
