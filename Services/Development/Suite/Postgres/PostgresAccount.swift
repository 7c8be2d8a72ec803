import Foundation
package import Glibc
import Vigil

/// The account that PostgreSQL's programs run as, and how to get there.
///
/// PostgreSQL refuses to run as root. Started by root, it runs as the system's `postgres` user; everyone else runs it
/// as themselves. A checkout often lies below a folder that only root may enter: rather than opening that folder, the
/// programs get the one capability that lets them pass it.
package struct PostgresAccount: Sendable, Equatable {
    /// Nil if no change of user is needed.
    private let user: User?

    private struct User: Equatable {
        let name: String
        let id: uid_t
        let group: gid_t
        let capability: String
    }

    /// Determines what the user of this process needs.
    package init() throws {
        guard geteuid() == 0 else {
            user = nil
            return
        }
        guard let entry = getpwnam("postgres")?.pointee else {
            throw CommandFailure(
                "PostgreSQL can't run as root and the user postgres does not exist: run `apt-get install postgresql`.")
        }
        user = User(
            name: "postgres", id: entry.pw_uid, group: entry.pw_gid, capability: try Self.searchingCapability())
    }

    /// The user that owns the cluster's files.
    package var id: uid_t { user?.id ?? geteuid() }

    /// The command that runs a program under this account.
    ///
    /// `setpriv` becomes the program, so that signals to the child reach it.
    package func program(
        _ executable: String, _ arguments: [String], log: String, orphanSignal: ChildProcess.OrphanSignal = .terminate
    ) -> ChildProcess.Program {
        guard let user else {
            return ChildProcess.Program(executable, arguments, log: log, orphanSignal: orphanSignal)
        }
        let privileges = [
            "--reuid=\(user.name)", "--regid=\(user.name)", "--clear-groups", "--inh-caps=+\(user.capability)",
            "--ambient-caps=+\(user.capability)",
        ]
        // A change of user clears the parent-death signal, so this second setpriv sets it again.
        return ChildProcess.Program(
            "/usr/bin/setpriv", privileges + ["--pdeathsig", orphanSignal.rawValue, executable] + arguments, log: log,
            orphanSignal: orphanSignal)
    }

    /// Creates a folder that belongs to the account and that nobody else may enter.
    ///
    /// An existing folder must already be like that.
    package func makeDirectory(_ path: String) throws {
        if mkdir(path, 0o700) == 0 {
            if let user, chown(path, user.id, user.group) != 0 {
                throw CommandFailure("\(path) can't be given to the user \(user.name).")
            }
            return
        }
        guard errno == EEXIST else {
            throw CommandFailure("\(path) can't be made: \(CommandFailure.systemReason).")
        }
        // A stranger could have put a folder, or a link (which this does not follow), in our place below /tmp.
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard attributes?[.type] as? FileAttributeType == .typeDirectory,
            attributes?[.ownerAccountID] as? Int == Int(id),
            let permissions = attributes?[.posixPermissions] as? Int, permissions & 0o077 == 0
        else {
            throw CommandFailure("\(path) exists, but is not a private folder of PostgreSQL's user: remove it.")
        }
    }

    /// The capability that lets the account pass through folders of others. Docker's containers lack the narrower one.
    private static func searchingCapability() throws -> String {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let effective =
            status.split(separator: "\n").first { $0.hasPrefix("CapEff:") }
            .flatMap { UInt64($0.dropFirst(7).trimmingCharacters(in: .whitespaces), radix: 16) } ?? 0
        // The numbers of the bits are those of capability.h.
        if effective & 1 << 2 != 0 { return "dac_read_search" }
        if effective & 1 << 1 != 0 { return "dac_override" }
        throw CommandFailure(
            "PostgreSQL's user can't be let into the state folder, because root lacks CAP_DAC_READ_SEARCH here: run as "
                + "another user.")
    }
}
