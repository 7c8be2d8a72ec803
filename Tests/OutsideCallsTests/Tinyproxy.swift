import Foundation
import TestSupport

/// A running tinyproxy.
struct Tinyproxy: Sendable {
    let port: Int
    /// The file in which it notes requests.
    let log: String
    private let id: pid_t

    private static let program = "/usr/bin/tinyproxy"

    static var isAvailable: Bool { FileManager.default.isExecutableFile(atPath: program) }

    /// Starts it, calls `body`, and ends it.
    /// - Parameter lines: added to its configuration (tinyproxy.conf(5)).
    static func run(_ lines: [String], _ body: (Tinyproxy) async throws -> Void) async throws {
        try await withScratchFolder { folder in
            let (port, log, file) = (TestPort.free(), "\(folder)/log", "\(folder)/conf")
            let all = ["Port \(port)", "Listen 127.0.0.1", "LogFile \"\(log)\"", "LogLevel Info", "Timeout 60"] + lines
            try Data(all.map { "\($0)\n" }.joined().utf8).write(to: URL(filePath: file))
            let process = Process()
            process.executableURL = URL(filePath: program)
            process.arguments = ["-d", "-c", file]
            try process.start()
            let proxy = Tinyproxy(port: port, log: log, id: process.processIdentifier)
            defer {
                // It inherits the mask of the thread that starts it, which may block SIGTERM.
                kill(proxy.id, SIGKILL)
                process.waitUntilExit()
            }
            // It listens before it writes that it accepts.
            while (try? String(contentsOfFile: log, encoding: .utf8))?.contains("Accepting connections") != true {
                try await Task.sleep(for: .milliseconds(5))
            }
            try await body(proxy)
        }
    }

    func suspend() { kill(id, SIGSTOP) }
    func resume() { kill(id, SIGCONT) }
}
