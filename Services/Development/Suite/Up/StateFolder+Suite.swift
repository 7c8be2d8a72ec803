import Foundation
import Glibc
package import Vigil

/// Operations that only a suite running in the folder needs.
extension StateFolder {
    /// Erases everything but the marker. The caller must hold the lock.
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

    /// Keeps a second `vigil-dev up` out of the folder until the lock is released or this process ends.
    package func lock() throws -> StateFolderLock {
        guard let lock = StateFolderLock(file: marker) else {
            throw CommandFailure(
                "Another `vigil-dev up` uses \(path): stop it with Ctrl-C in its terminal, or choose another folder with "
                    + "--state."
            )
        }
        return lock
    }

    /// Renames the logs of the previous run to `NAME.previous.log`.
    package func setLogsAside() throws {
        let files = FileManager.default
        let names = (try? files.contentsOfDirectory(atPath: logs)) ?? []
        for name in names where name.hasSuffix(".log") && !name.hasSuffix(".previous.log") {
            let aside = "\(logs)/\(name.dropLast(4)).previous.log"
            guard rename("\(logs)/\(name)", aside) == 0 else {
                throw CommandFailure("\(aside) can't be written: \(CommandFailure.systemReason).")
            }
        }
    }
}

/// Held by the one `vigil-dev up` that uses a state folder.
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
