package import Foundation

/// The Python with the packages of Tests/Python/requirements.txt, for servers and scripts that tests run.
///
/// `VIGIL_TEST_PYTHON` names it; deploy/test.sh sets it. Suites that need it declare `.enabled(if: TestPython.isAvailable)`.
/// Without the variable they are skipped, which deploy/test.sh doesn't accept.
package enum TestPython {
    /// Whether tests that need it should run.
    package static var isAvailable: Bool { program != nil }

    /// The variable is not set.
    package struct Unavailable: Error {}

    /// A process that runs a script of Tests/Python, with the environment of the tests. It isn't started yet.
    package static func process(_ script: String, _ arguments: [String] = []) throws -> Process {
        guard let program else { throw Unavailable() }
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = [scripts.appending(path: script).path] + arguments
        process.environment = ProcessInfo.processInfo.environment
            .merging(["PYTHONDONTWRITEBYTECODE": "1", "PYTHONUNBUFFERED": "1"]) { $1 }
        return process
    }

    private static let program = ProcessInfo.processInfo.environment["VIGIL_TEST_PYTHON"]
    private static let scripts = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Tests/Python")
}
