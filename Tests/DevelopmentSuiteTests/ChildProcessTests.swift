import DevelopmentSuite
import Foundation
import Glibc
import TestSupport
import Testing

@Suite("Child processes", .timeLimit(.minutes(5)))
struct ChildProcessTests {
    @Test("say how they ended", arguments: [0, 1, 7, 255])
    func status(_ status: Int32) async throws {
        #expect(try await ChildProcess.run(.init("/bin/sh", ["-c", "exit \(status)"])) == .status(status))
    }

    @Test("are stopped by a signal, and a signal after their end reaches nobody")
    func signals() async throws {
        let child = try await ChildProcess.start(.init("/bin/sleep", ["60"]))
        #expect(child.exit == nil)
        child.send(SIGTERM)
        #expect(try await child.end() == .signal(SIGTERM))
        child.send(SIGTERM)
    }

    @Test("see nothing of this process's environment but what every program may know")
    func environment() async throws {
        try await withScratchFolder { scratch in
            _ = try await ChildProcess.run(.init("/usr/bin/env", log: "\(scratch)/log"))
            let names = try String(contentsOfFile: "\(scratch)/log", encoding: .utf8).split(separator: "\n")
                .map { $0.prefix { $0 != "=" } }
            let known: Set<Substring> = [
                "PATH", "HOME", "TMPDIR", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "SWIFT_BACKTRACE",
            ]
            #expect(names.contains("PATH"))
            #expect(known.isSuperset(of: names))
        }
    }

    @Test("can be stopped with Ctrl-C's signal even if this process ignores it")
    func ignoredSignals() async throws {
        _ = Glibc.signal(SIGUSR1, SIG_IGN)
        let child = try await ChildProcess.start(.init("/bin/sleep", ["60"]))
        child.send(SIGUSR1)
        #expect(try await child.end() == .signal(SIGUSR1))
    }

    @Test("that are cancelled are terminated")
    func cancellation() async throws {
        try await withScratchFolder { scratch in
            // The shell's own end is seen in the file that its trap writes.
            let script = "trap 'echo over > \(scratch)/over; exit 3' TERM; echo up; while :; do sleep 0.05; done"
            let run = Task { try await ChildProcess.run(.init("/bin/sh", ["-c", script], log: "\(scratch)/log")) }
            try await waitForContent(of: "\(scratch)/log")
            run.cancel()
            await #expect(throws: CancellationError.self) { try await run.value }
            try await waitForContent(of: "\(scratch)/over")
        }
    }

    @Test("whose program is missing end with the shell's number for that")
    func missing() async throws {
        #expect(try await ChildProcess.run(.init("/nowhere/program", log: "/dev/null")) == .status(127))
    }
}
