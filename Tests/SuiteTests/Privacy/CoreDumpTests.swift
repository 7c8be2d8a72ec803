import Catalogue
import Foundation
import TestSupport
import Testing

/// The real executables, whose memory holds addresses, tokens and keys.
@Suite(.timeLimit(.minutes(5)))
struct CoreDumpTests {
    /// What the kernel reports about a live process.
    private struct Look {
        /// RLIMIT_CORE, soft and hard.
        let limits: [Substring]
        /// Whether processes of the same user may read its memory.
        ///
        /// Nobody may if the process isn't dumpable (prctl(2), ptrace(2)).
        let isOpen: Bool
    }

    @Test(
        "each executable disables core dumps and access to its memory before it opens its configuration",
        arguments: Set(Catalogue.services.map(\.executable)))
    func order(executable: String) throws {
        let file = "/absent-configuration"
        let program = process([
            "/usr/bin/strace", "-f", "-q", "-e", "trace=prctl,prlimit64,open,openat,stat,newfstatat",
            try BuiltProgram.path(executable), "ready", "--config", file,
        ])
        let calls = try output(of: program).split(separator: "\n")
        let opens = try #require(calls.firstIndex { $0.contains(file) })
        let limit = try #require(
            calls.firstIndex { $0.contains("RLIMIT_CORE, {rlim_cur=0, rlim_max=0}") })
        let dumpable = try #require(
            calls.firstIndex { $0.contains("PR_SET_DUMPABLE, SUID_DUMP_DISABLE") })
        // An executable exits if either call fails.
        #expect(max(limit, dumpable) < opens)
    }

    @Test("a running program can't dump core, and its own user can't read its memory")
    func live() throws {
        let look = try look(at: [try BuiltProgram.path("vigil"), "inspect"])
        #expect(look.limits == ["0", "0"])
        #expect(!look.isOpen)
    }

    @Test("the check finds that an unprotected program is readable by its own user")
    func control() throws {
        var own = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &own)
        let look = try look(at: ["/bin/cat"])
        #expect(look.isOpen)
        #expect((look.limits.last == "0") == (own.rlim_max == 0))
    }

    /// Inspects a program while it blocks on reading a file, which is its last argument.
    private func look(at command: [String]) throws -> Look {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "file").path
        #expect(mkfifo(file, 0o600) == 0)

        let program = process(Self.unprivileged + command + [file])
        try program.start()
        // Opening the FIFO blocks until the program opens it, too; closing it ends the program.
        let script = """
            exec 3>"$1"
            sed -n 's/^Max core file size *\\([^ ]*\\) *\\([^ ]*\\) .*/\\1 \\2/p' /proc/$2/limits
            cat /proc/$2/environ >/dev/null 2>&1 && echo open
            """
        let looker = process(
            Self.unprivileged + ["/bin/sh", "-c", script, "sh", file, "\(program.processIdentifier)"])
        let text = try output(of: looker)
        program.waitUntilExit()
        let lines = text.split(separator: "\n")
        return Look(limits: try #require(lines.first).split(separator: " "), isOpen: lines.last == "open")
    }

    /// Drops root's capabilities, except for those on files.
    ///
    /// With all of its capabilities, root may read any process's memory; with these, it is an ordinary user.
    private static let unprivileged =
        geteuid() == 0 ? ["/usr/bin/setpriv", "--bounding-set=-all,+dac_override", "--inh-caps=-all"] : []

    private func process(_ command: [String]) -> Process {
        let process = Process()
        process.executableURL = URL(filePath: command[0])
        process.arguments = Array(command.dropFirst())
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        return process
    }

    /// Runs a program and returns its output, including that of strace.
    private func output(of process: Process) throws -> String {
        let said = Pipe()
        process.standardOutput = said
        process.standardError = said
        try process.start()
        let text = String(decoding: try said.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        return text
    }
}
