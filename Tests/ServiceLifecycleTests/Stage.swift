import Logging
import ServiceLifecycle
import Synchronization

/// A service made of a closure.
struct Work: Service {
    let work: @Sendable () async throws -> Void

    func run() async throws { try await work() }
}

/// What happened, in order.
final class Record: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func add(_ line: String) { lines.withLock { $0.append(line) } }
}

/// Says once that something has happened.
struct Signal: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func happened() { continuation.finish() }

    func wait() async { for await _ in stream {} }
}

struct Broken: Error, Equatable {
    let name: String
}

let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
