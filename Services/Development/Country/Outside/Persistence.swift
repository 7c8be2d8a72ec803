import Vigil

/// Repeats what fails while a service or the database is started again. Laboratories and officers try again, too.
/// - Throws: the last error after half a minute.
func persistently<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
    for _ in 0..<150 {
        do {
            return try await body()
        } catch {
            try await Task.sleep(for: .milliseconds(200))
        }
    }
    return try await body()
}
