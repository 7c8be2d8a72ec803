import Foundation
import Glibc
import Running

/// The folder in which `vigil up` keeps all it makes: certificates, secrets, database, configuration, logs.
///
/// A marker file, written before anything else, tells it from other folders: nothing is ever written into, or erased
/// from, a folder with other content that lacks the marker.
package struct StateFolder: Sendable, Equatable {
    /// Absolute, without `.` and `..`.
    package let path: String

    /// - Parameter path: absolute, or relative to the working directory. Nothing is made yet.
    package init(_ path: String) {
        self.path =
            URL(filePath: path).standardizedFileURL.resolvingSymlinksInPath().path(percentEncoded: false)
            .droppingTrailingSlash
    }

    /// Certificates and their keys (``SuiteCertificates``).
    package var certificates: String { "\(path)/certificates" }
    /// Files that services read their secrets from (``SuiteSecrets``).
    package var secrets: String { "\(path)/secrets" }
    /// The cluster's folder; it belongs to PostgreSQL's user.
    package var postgres: String { "\(path)/postgres" }
    /// One configuration file per process, and public keys.
    package var configuration: String { "\(path)/config" }
    /// The private keys of open hours: a directory of its own, because it must never be backed up.
    package var hourKeys: String { "\(path)/hour-keys" }
    /// The tree that phones download.
    package var published: String { "\(path)/published" }
    /// One log per process.
    package var logs: String { "\(path)/logs" }

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

    /// Every certificate that was made, with its fingerprint: what the list of denied ones is copied from.
    package var issuedCertificates: String { "\(certificates)/issued" }

    private var marker: String { "\(path)/vigil-state" }
    private static let markerText =
        "A state folder of Vigil, layout 1. `vigil up --fresh` may erase all that lies here.\n"

    // MARK: Making and erasing

    /// Makes the folder and the folders in it, for the owner alone; keeps what exists.
    package func prepare() throws {
        let files = FileManager.default
        if let content = try? files.contentsOfDirectory(atPath: path), !content.isEmpty, !isMarked {
            throw notOurs
        }
        try makeDirectory(path)
        if !isMarked {
            try write(Self.markerText, to: marker)
        }
        for directory in [certificates, secrets, configuration, hourKeys, published, logs] {
            try makeDirectory(directory)
        }
    }

    /// Erases everything but the marker. The caller holds the lock.
    package func erase() throws {
        guard isMarked else { throw notOurs }
        let files = FileManager.default
        do {
            for name in try files.contentsOfDirectory(atPath: path) where "\(path)/\(name)" != marker {
                try files.removeItem(atPath: "\(path)/\(name)")
            }
        } catch {
            throw CommandFailure("\(path) can't be erased completely; remove it by hand and start again.")
        }
    }

    /// Keeps a second `vigil up` out of the folder until the lock is released, or this process ends in whatever way.
    package func lock() throws -> StateFolderLock {
        guard let lock = StateFolderLock(file: marker) else {
            throw CommandFailure(
                "Another `vigil up` uses \(path): stop it with Ctrl-C in its terminal, or choose another folder with "
                    + "--state."
            )
        }
        return lock
    }

    private var isMarked: Bool {
        (try? String(contentsOfFile: marker, encoding: .utf8))?.hasPrefix("A state folder of Vigil") == true
    }

    private var notOurs: CommandFailure {
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
            throw CommandFailure("\(directory) can't be made a private folder: \(reason()).")
        }
    }

    // MARK: Files

    /// Writes a file as a whole or not at all.
    /// - Parameter mode: by default only the owner may read it.
    package func write(_ text: String, to file: String, mode: UInt32 = 0o600) throws {
        do {
            try DurableFile.write(Data(text.utf8), to: URL(filePath: file), mode: mode)
        } catch {
            throw CommandFailure("\(file) can't be written: \(reason()).")
        }
    }

    /// A file's text without the newline at its end; nil if there is no such file.
    package func read(_ file: String) throws -> String? {
        guard FileManager.default.fileExists(atPath: file) else { return nil }
        guard let text = try? String(contentsOfFile: file, encoding: .utf8) else {
            throw CommandFailure("\(file) can't be read: \(reason()).")
        }
        return text.last == "\n" ? String(text.dropLast()) : text
    }

    /// Puts the logs of the run before aside, as `NAME.previous.log`.
    package func setLogsAside() throws {
        let files = FileManager.default
        let names = (try? files.contentsOfDirectory(atPath: logs)) ?? []
        for name in names where name.hasSuffix(".log") && !name.hasSuffix(".previous.log") {
            let aside = "\(logs)/\(name.dropLast(4)).previous.log"
            guard rename("\(logs)/\(name)", aside) == 0 else {
                throw CommandFailure("\(aside) can't be written: \(reason()).")
            }
        }
    }
}

/// Held by the one `vigil up` that uses a state folder.
package final class StateFolderLock: Sendable {
    private let descriptor: Int32

    /// Nil if another process holds it.
    fileprivate init?(file: String) {
        descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            return nil
        }
    }

    deinit {
        close(descriptor)
    }
}

/// The system's words for what just failed.
private func reason() -> String {
    String(cString: strerror(errno)).lowercased()
}

extension String {
    fileprivate var droppingTrailingSlash: String {
        count > 1 && last == "/" ? String(dropLast()) : self
    }
}
