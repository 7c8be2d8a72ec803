import DevelopmentSuite
import Foundation
import Glibc
import Running
import TestSupport
import Testing
import Vigil

@Suite("The supervisor", .timeLimit(.minutes(5)))
struct SupervisorTests {
    @Test("says which process ended, how, with what last words, and where its log is")
    func watches() async throws {
        try await withScratchFolder { scratch in
            let supervisor = Supervisor()
            let log = "\(scratch)/proxy.log"
            let sleeper = try await supervisor.start("sleeper", log: "\(scratch)/none.log") {
                try await ChildProcess.start(.init("/bin/sleep", ["60"]))
            }
            try await supervisor.start("proxy", log: log) {
                try await ChildProcess.start(.init("/bin/sh", ["-c", "echo first; echo no port; exit 78"], log: log))
            }
            let failure = await #expect(throws: CommandFailure.self) { try await supervisor.watch() }
            #expect(
                failure?.description
                    == "proxy ended with status 78 (last words: no port): the whole log is \(log).")
            await supervisor.stop()
            #expect(sleeper.exit == .signal(SIGTERM))
        }
    }

    @Test("reads the warnings of a service that is ready, and none where there are none")
    func warnings() async throws {
        for warnings in [["One file isn't published.", "Nor is \"another\"."], []] {
            try await withService(listeners: [], warnings: { warnings }) { runtime in
                try await runtime.opened()
                let url = "http://127.0.0.1:\(try await runtime.adminPort)"
                #expect(try await Supervisor.warnings(at: url) == warnings)
            }
        }
    }

    @Test("stops the youngest first")
    func order() async throws {
        try await withScratchFolder { scratch in
            let supervisor = Supervisor()
            let log = "\(scratch)/order.log"
            for name in ["database", "service", "proxy"] {
                let script =
                    "trap 'echo \(name); exit 0' TERM; echo up > \(scratch)/\(name); while :; do sleep 0.05; done"
                try await supervisor.start(name, log: log) {
                    try await ChildProcess.start(.init("/bin/sh", ["-c", script], log: log))
                }
                try await waitForContent(of: "\(scratch)/\(name)")
            }
            await supervisor.stop()
            #expect(try String(contentsOfFile: log, encoding: .utf8) == "proxy\nservice\ndatabase\n")
        }
    }

    @Test("kills what does not stop")
    func kills() async throws {
        try await withScratchFolder { scratch in
            let supervisor = Supervisor()
            let script = "trap '' TERM; echo up > \(scratch)/up; while :; do sleep 0.05; done"
            let child = try await supervisor.start(
                "stubborn", log: "\(scratch)/none", patience: .milliseconds(100)
            ) { try await ChildProcess.start(.init("/bin/sh", ["-c", script])) }
            try await waitForContent(of: "\(scratch)/up")
            await supervisor.stop()
            #expect(child.exit == .signal(SIGKILL))
        }
    }

    @Test("starts a process again that it was told to disturb, and only if that ended it")
    func disturbs() async throws {
        let supervisor = Supervisor()
        let first = try await supervisor.start("sleeper", log: "/dev/null") {
            try await ChildProcess.start(.init("/bin/sleep", ["60"]))
        }
        try await supervisor.disturb("sleeper") { $0.send(SIGCONT) }
        #expect(await supervisor.processes.map(\.id) == [first.id])
        try await supervisor.disturb("sleeper") { process in
            process.send(SIGKILL)
            _ = try await process.end()
        }
        #expect(first.exit == .signal(SIGKILL))
        #expect(await supervisor.processes.map(\.name) == ["sleeper"])
        #expect(await supervisor.processes.allSatisfy { $0.id != first.id && kill($0.id, 0) == 0 })
        await #expect(throws: CommandFailure.self) { try await supervisor.disturb("nobody") { _ in } }
        await supervisor.stop()
    }
}
