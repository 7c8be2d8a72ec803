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

    /// Inspects a program that complains about its last argument, a file's name.
    ///
    /// The name is longer than a pipe holds (pipe(7): 64 KiB), so the program can't end before its complaint is read.
    private func look(at command: [String]) throws -> Look {
        let program = process(Self.unprivileged + command + [String(repeating: "x", count: 100_000)])
        let complaint = Pipe()
        program.standardError = complaint
        try program.start()
        #expect(try complaint.fileHandleForReading.read(upToCount: 1)?.count == 1)
        let script = """
            sed -n 's/^Max core file size *\\([^ ]*\\) *\\([^ ]*\\) .*/\\1 \\2/p' /proc/$1/limits
            cat /proc/$1/environ >/dev/null 2>&1 && echo open
            """
        let looker = process(Self.unprivileged + ["/bin/sh", "-c", script, "sh", "\(program.processIdentifier)"])
        let text = try output(of: looker)
        let rest = try complaint.fileHandleForReading.readToEnd()
        #expect((rest?.count ?? 0) > 100_000)
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
