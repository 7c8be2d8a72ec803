import Foundation
package import Glibc
import Synchronization
import Vigil

/// A program that runs as a child of this process.
///
/// A dedicated thread starts the child and waits for it. The kernel sends the parent-death signal when the *thread* that
/// started a child ends. This thread lives exactly as long as its child, so only the end of the whole process triggers the
/// signal, SIGKILL included.
package final class ChildProcess: Sendable {
    /// How a child ended.
    package enum Exit: Hashable, Sendable, CustomStringConvertible {
        case status(Int32)
        case signal(Int32)

        /// Part of a sentence, after the program's name.
        package var description: String {
            switch self {
            case .status(let status): "ended with status \(status)"
            case .signal(let number): "was ended by signal \(number)"
            }
        }
    }

    /// The program to start, and its surroundings.
    package struct Program: Sendable {
        /// An absolute path.
        package var executable: String
        /// Not a place for secrets: everybody on the machine can read the arguments.
        package var arguments: [String]
        /// The child's whole environment; nothing is inherited that isn't named here.
        package var environment: [String: String]
        /// The file that standard output and standard error are appended to; if nil, the child inherits this process's own.
        package var log: String?
        /// The signal that the kernel sends the child when this process ends without stopping it.
        package var orphanSignal: OrphanSignal

        /// A program whose standard input is empty.
        package init(
            _ executable: String, _ arguments: [String] = [], environment: [String: String] = SuiteProgram.environment,
            log: String? = nil, orphanSignal: OrphanSignal = .terminate
        ) {
            self.executable = executable
            self.arguments = arguments
            self.environment = environment
            self.log = log
            self.orphanSignal = orphanSignal
        }
    }

    /// The signals that can end an orphaned child.
    package enum OrphanSignal: String, Sendable {
        case terminate = "TERM"
        /// PostgreSQL's fast shutdown.
        case interrupt = "INT"
    }

    /// The process id.
    package let id: pid_t
    private let state = Mutex<Exit?>(nil)

    private init(id: pid_t) {
        self.id = id
    }

    /// Starts a program in a process group of its own, so that Ctrl-C in the terminal reaches only this process.
    package static func start(_ program: Program) async throws -> ChildProcess {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                do {
                    let child = ChildProcess(id: try spawn(program))
                    continuation.resume(returning: child)
                    child.awaitEnd()
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
    }

    /// Runs a program until it ends. If the task is cancelled, the program is terminated.
    package static func run(_ program: Program) async throws -> Exit {
        let child = try await start(program)
        do {
            return try await child.end()
        } catch {
            child.send(SIGTERM)
            throw error
        }
    }

    /// How the child ended; nil while it runs.
    package var exit: Exit? { state.withLock { $0 } }

    /// Waits until the child ends.
    package func end() async throws -> Exit {
        while true {
            if let exit { return exit }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Waits until the child ends, up to a limit; nil if it still runs then.
    package func end(within limit: Duration) async throws -> Exit? {
        let deadline = ContinuousClock.now + limit
        while exit == nil, ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(20))
        }
        return exit
    }

    /// Sends a signal, unless the child has ended.
    package func send(_ signal: Int32) {
        // The child is reaped under the same lock: its id can't belong to another process yet.
        state.withLock { exit in
            if exit == nil { _ = kill(id, signal) }
        }
    }

    private func awaitEnd() {
        var information = siginfo_t()
        while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        state.withLock { exit in
            var status: Int32 = 0
            while waitpid(id, &status, 0) < 0, errno == EINTR {}
            // The macros WIFSIGNALED and WEXITSTATUS of wait(2), which Swift does not import.
            let signal = status & 0x7F
            exit = signal == 0 ? .status(status >> 8 & 0xFF) : .signal(signal)
        }
    }

    private static func spawn(_ program: Program) throws -> pid_t {
        var files = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&files)
        defer { posix_spawn_file_actions_destroy(&files) }
        posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        if let log = program.log {
            posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
            posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO)
        }
        // This process's open files, sockets and locks aren't for children, nor are those that other threads open meanwhile.
        let highest = descriptors.max() ?? STDERR_FILENO
        for descriptor in (STDERR_FILENO + 1)...(highest + 64) {
            posix_spawn_file_actions_addclose(&files, descriptor)
        }

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        posix_spawnattr_setpgroup(&attributes, 0)
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        // Signals that this process ignores would stay ignored in the child, and it could not be stopped.
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)

        // setpriv becomes the program, so the process id is the program's.
        let arguments =
            ["setpriv", "--pdeathsig", program.orphanSignal.rawValue, program.executable] + program.arguments
        let environment = program.environment.map { "\($0.key)=\($0.value)" }
        var id: pid_t = 0
        let failure = withCStrings(arguments) { arguments in
            withCStrings(environment) { environment in
                posix_spawn(&id, setpriv, &files, &attributes, arguments, environment)
            }
        }
        guard failure == 0 else {
            throw CommandFailure(
                "\(program.executable) can't be started through \(setpriv): \(String(cString: strerror(failure))).")
        }
        return id
    }

    /// The files and sockets that this process has open.
    private static var descriptors: [Int32] {
        ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []).compactMap { Int32($0) }
    }

    /// Part of util-linux, which every Debian has.
    private static let setpriv = "/usr/bin/setpriv"
}

/// Lends strings as a C array that ends with a null pointer.
private func withCStrings<Result>(
    _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
) -> Result {
    let copies = strings.map { strdup($0) }
    defer { copies.forEach { free($0) } }
    return body(copies + [nil])
}
