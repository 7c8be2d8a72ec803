import ExposureFormat
import Foundation

/// What there is to say about a key archive.
package struct Inspection: Sendable {
    /// Some lines, each a name and a value.
    package let text: String

    /// - Throws: ``CommandFailure`` with a sentence that says what is damaged.
    package init(file: String, publicKeyFile: String?) throws {
        let keys = try publicKeyFile.map { [try Self.key(in: $0)] }
        let bytes = try Self.bytes(of: file)
        do throws(ArchiveDamage) {
            let export = try ExportArchive.read(bytes)
            if let keys { try export.archive.requireSignature(of: keys) }
            text = Self.describe(export, keys: keys)
        } catch let damage {
            throw CommandFailure("\(file): \(damage)")
        }
    }

    private static func describe(_ export: ExportArchive, keys: [VerificationKey]?) -> String {
        let header = export.header
        var lines = [
            ("window", "\(instant(header.startTimestamp)) to \(instant(header.endTimestamp))"),
            ("region", header.region),
            ("keys", "\(export.keys.count)"),
            ("batch", "\(header.batch.number) of \(header.batch.size)"),
        ]
        for verdict in export.verify(keys ?? []) {
            let identity = verdict.identity
            let signer = "\(identity.appBundleID), key \(identity.keyID) \(identity.keyVersion)"
            lines.append(
                ("signature", "\(signer): \(keys == nil ? "Not checked; give --public-key." : verdict.description)"))
        }
        return lines.map { $0.0.padding(toLength: 11, withPad: " ", startingAt: 0) + $0.1 }.joined(separator: "\n")
    }

    private static func instant(_ seconds: UInt64) -> String {
        Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(.iso8601)
    }

    /// No more than the reader would accept is read, whatever the file is.
    private static func bytes(of file: String) throws -> [UInt8] {
        let limit = ArchiveLimits().archiveBytes
        guard let handle = FileHandle(forReadingAtPath: file) else {
            throw CommandFailure("\(file) can't be read: check the name.")
        }
        do {
            return Array(try handle.read(upToCount: limit + 1) ?? Data())
        } catch {
            throw CommandFailure("\(file) can't be read: name a file.")
        }
    }

    private static func key(in file: String) throws -> VerificationKey {
        guard let pem = try? String(contentsOfFile: file, encoding: .utf8), let key = try? VerificationKey(pem: pem)
        else {
            throw CommandFailure("\(file) is not a P-256 public key in PEM: check --public-key.")
        }
        return key
    }
}
