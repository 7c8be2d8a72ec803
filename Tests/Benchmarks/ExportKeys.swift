import ArgumentParser
import Crypto
import ExposureFormat
import ExposureKeys
import Foundation

/// Keys in memory to a signed archive, on one core. Prints seconds, bytes and the most memory as JSON, and can write the workload for others.
struct ExportKeys: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export-keys", abstract: "Seconds and bytes of an export of keys that are in memory.")

    @Option(help: "How many keys.")
    var keys = 600_000

    @Option(help: "The most keys of a file.")
    var keysPerFile = 600_000

    @Option(help: "How often; the fastest counts.")
    var repetitions = 5

    @Option(help: "Writes the keys to a file, for the programs it is compared with, and ends.")
    var workload: String?

    @Option(help: "Writes the last archive to a file.")
    var archive: String?

    func run() throws {
        if let workload { return try ExportWorkload.file(keys).write(to: URL(filePath: workload)) }
        let signer = SigningKey(
            P256.Signing.PrivateKey(), identity: SigningIdentity(appBundleID: "de.rki.coronawarnapp"))
        let hour = Hour(number: 498_648)
        let header = ExportHeader(hours: hour..<hour.advanced(by: 1), region: "DE")
        var best = Double.infinity
        var (last, size): ([UInt8], Int) = ([], 0)
        for _ in 0..<repetitions {
            let published = ExportWorkload.published(keys)
            size = 0
            let started = ContinuousClock.now
            for set in KeySet.batches(of: published, atMost: keysPerFile) {
                for file in try KeyExport.files(of: set, headers: [header], signers: [signer.identity]) {
                    last = try file.archive(signatures: [try signer.sign(file.digest)])
                    size += last.count
                }
            }
            best = min(best, started.duration(to: .now) / .seconds(1))
        }
        if let archive { try Data(last).write(to: URL(filePath: archive)) }
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        let peak = Double(usage.ru_maxrss) / 1024
        print(#"{"keys":\#(keys),"seconds":\#(best),"bytes":\#(size),"peak_mib":\#(peak)}"#)
    }
}
