package import Catalogue
import FoundationEssentials
import Running

/// The folder of a suite on one machine: certificates, secrets, database, configuration, logs.
///
/// A marker file, written before anything else, identifies it. A folder with other content and without the marker is never
/// written to or erased.
package struct StateFolder: Sendable, Equatable {
    /// Absolute, without `.` and `..`.
    package let path: String

    /// - Parameter path: absolute, or relative to the working directory. Nothing is created yet.
    package init(_ path: String) {
        self.path =
            URL(filePath: path).standardizedFileURL.resolvingSymlinksInPath().path(percentEncoded: false)
            .droppingTrailingSlash
    }

    /// The certificates and their keys (``SuiteCertificates``).
    package var certificates: String { "\(path)/certificates" }
    /// The files that services read their secrets from (``SuiteSecrets``).
    package var secrets: String { "\(path)/secrets" }
    /// The cluster's folder; it belongs to PostgreSQL's user.
    package var postgres: String { "\(path)/postgres" }
    /// One configuration file per process, and public keys.
    package var configuration: String { "\(path)/config" }
    /// The tree that phones download.
    package var published: String { volume(.published) }
    /// One log per process.
    package var logs: String { "\(path)/logs" }

    /// A folder that services use.
    package func volume(_ name: Catalogue.Volume.Name) -> String { "\(path)/\(name.rawValue)" }

    /// The log of one process.
    package func log(_ name: String) -> String { "\(logs)/\(name).log" }

    /// The configuration file of one process.
    package func configuration(_ name: String) -> String { "\(configuration)/\(name).json" }

    /// The file of one secret.
    package func secret(_ name: String) -> String { "\(secrets)/\(name)" }

    /// A certificate (PEM), by the name of its holder.
    package func certificate(_ name: String) -> String { "\(certificates)/\(name).pem" }

    /// The private key of a certificate.
    package func certificateKey(_ name: String) -> String { "\(certificates)/\(name).key" }

    /// The list of certificates that no listener accepts; the operator adds to it.
    package var deniedCertificates: String { "\(certificates)/denied" }

    /// The list of all certificates ever issued, with their fingerprints. Copy a line from here to deny a certificate.
    package var issuedCertificates: String { "\(certificates)/issued" }

    /// The names under which callers outside reach services, a line each (``OutsideName``).
    package var outsideNames: String { "\(certificates)/names" }

    /// What a caller outside is told beside its certificate (``CallerNotes``).
    package func callerNotes(_ name: String) -> String { "\(certificates)/\(name).txt" }

    /// The file that marks the folder as one of Vigil's.
    package var marker: String { "\(path)/\(Self.markerName)" }
    private static let markerName = "vigil-state"
    private static let markerText =
        "A state folder of Vigil, layout 1. `vigil-dev up --fresh` may erase all that lies here.\n"

    // MARK: Creating

    /// Creates the folder and its subfolders for the owner only; keeps existing ones.
    ///
    /// Removes what a process left half written when it was killed: a first start that ended before its marker was written can be
    /// repeated, too.
    package func prepare() throws {
        let files = FileManager.default
        if let content = try? files.contentsOfDirectory(atPath: path), !isMarked,
            !content.allSatisfy({ $0.hasPrefix(".\(Self.markerName).") && isUnfinished($0, in: path) })
        {
            throw notOurs
        }
        try makeDirectory(path)
        if !isMarked {
            try write(Self.markerText, to: marker)
        }
        let own = [certificates, secrets, configuration, logs]
        for directory in own + Catalogue.Volume.Name.allCases.map(volume) { try makeDirectory(directory) }
        for directory in [path] + own {
            for name in try files.contentsOfDirectory(atPath: directory) where isUnfinished(name, in: directory) {
                try DurableFile.remove(URL(filePath: "\(directory)/\(name)"))
            }
        }
    }

    private func isUnfinished(_ name: String, in directory: String) -> Bool {
        DurableFile.isUnfinished(URL(filePath: "\(directory)/\(name)"))
    }

    /// Whether the marker exists.
    package var isMarked: Bool {
        (try? String(contentsOfFile: marker, encoding: .utf8))?.hasPrefix("A state folder of Vigil") == true
    }

    /// The refusal to write to, or erase, a folder without the marker.
    package var notOurs: CommandFailure {
        CommandFailure(
            "\(path) is not empty and not a state folder of Vigil (the file vigil-state is missing): choose another with "
                + "--state."
        )
    }

    private func makeDirectory(_ directory: String) throws {
        do {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: directory)
        } catch {
            throw CommandFailure("\(directory) can't be made a private folder: \(CommandFailure.systemReason).")
        }
    }

    // MARK: Files

    /// Writes a file completely or not at all.
    /// - Parameter mode: by default only the owner may read it.
    package func write(_ text: String, to file: String, mode: UInt32 = 0o600) throws {
        do {
            try DurableFile.write(Data(text.utf8), to: URL(filePath: file), mode: mode)
        } catch {
            throw CommandFailure("\(file) can't be written: \(CommandFailure.systemReason).")
        }
    }

    /// Removes a file, if there is one.
    package func remove(_ file: String) throws {
        guard FileManager.default.fileExists(atPath: file) else { return }
        do {
            try FileManager.default.removeItem(atPath: file)
        } catch {
            throw CommandFailure("\(file) can't be removed: \(CommandFailure.systemReason).")
        }
    }

    /// A file's text without the trailing newline; nil if there is no such file.
    package func read(_ file: String) throws -> String? {
        guard FileManager.default.fileExists(atPath: file) else { return nil }
        guard let text = try? String(contentsOfFile: file, encoding: .utf8) else {
            throw CommandFailure("\(file) can't be read: \(CommandFailure.systemReason).")
        }
        return text.last == "\n" ? String(text.dropLast()) : text
    }
}

extension String {
    fileprivate var droppingTrailingSlash: String {
        count > 1 && last == "/" ? String(dropLast()) : self
    }
}
