import FoundationEssentials

/// The suite's executables, next to this one.
package enum SuiteProgram {
    /// The path of an executable.
    package static func path(of name: String) throws -> String {
        do {
            let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            return URL(filePath: own).deletingLastPathComponent().appending(path: name).path(percentEncoded: false)
        } catch {
            throw CommandFailure("/proc is not mounted, so the suite's executables can't be found.")
        }
    }

    /// The environment that every program gets: search path, home, temporary folder, language, and what a build with a sanitizer
    /// is told (`Tests/sanitize.sh`).
    ///
    /// Everything else is left out. A `PGHOST` or an `ADMIN_PORT` of the operator's shell would reach every service, and a
    /// secret in the environment would be readable in `/proc`.
    package static var environment: [String: String] {
        let names: Set = [
            "PATH", "HOME", "TMPDIR", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "SWIFT_BACKTRACE",
            "ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS",
        ]
        return ProcessInfo.processInfo.environment.filter { names.contains($0.key) }
    }
}
