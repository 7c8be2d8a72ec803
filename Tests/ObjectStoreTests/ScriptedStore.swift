import Foundation
import HTTPTypes
import Running
import Serving
import Synchronization
import TestSupport

@testable import ObjectStore

/// A server that answers like a failing S3 store, by a script with one line for each request.
///
/// Like a real one it refuses requests whose time is more than a quarter of an hour from its own
/// (https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html, `RequestTimeTooSkewed`).
final class ScriptedStore: Sendable {
    enum Line: Sendable {
        case answer(Int, String = "", entityTag: String? = nil)
        /// No answer until the client disconnects.
        case silence
        /// A header field `Location`.
        case redirect(to: String)
    }

    /// "PUT /bucket/version", in order of arrival.
    var requests: [String] { state.withLock { $0.requests } }
    /// Their bodies.
    var bodies: [String] { state.withLock { $0.bodies } }
    /// The pauses between attempts.
    var pauses: [Duration] { state.withLock { $0.pauses } }

    private struct State {
        var script: [Line]
        var requests: [String] = []
        var bodies: [String] = []
        var pauses: [Duration] = []
    }

    private let state: Mutex<State>

    private let fields: HTTPFields

    private init(_ script: [Line], _ fields: HTTPFields) {
        state = Mutex(State(script: script))
        self.fields = fields
    }

    /// Calls `body` with a bucket of such a store. The last line of the script repeats.
    /// - Parameters:
    ///   - security: the listener's.
    ///   - fields: of every answer.
    ///   - ahead: by how many seconds the store's clock is ahead.
    static func run<Result: Sendable>(
        _ script: [Line], security: Listener.Security = .plain, settings: [String: String] = [:],
        deadline: Duration = .seconds(30), fields: HTTPFields = [:], ahead: Double = 0,
        _ body: (ScriptedStore, S3Bucket) async throws -> Result
    ) async throws -> Result {
        let store = ScriptedStore(script, fields)
        let listener = Listener(name: "store", host: "127.0.0.1", port: 0, security: security) { routes in
            routes.fallback(store.respond)
        }
        return try await withService(listeners: [listener]) { _ in
            let scheme = if case .plain = security { "http" } else { "https" }
            let base = "\(scheme)://localhost:\(try await listener.boundPort)"
            return try await S3SettingsFiles.with { files in
                let bucket = try S3Bucket(
                    Settings(files.settings.merging(["s3.endpoint": base]) { $1 }.merging(settings) { $1 }),
                    clock: WallClock { Date().addingTimeInterval(-ahead) }, retries: store.retries(deadline: deadline),
                    pageSize: 1000)
                return try await body(store, bucket)
            }
        }
    }

    private func retries(deadline: Duration) -> S3RetryPolicy {
        S3RetryPolicy(
            deadline: deadline, sleep: { pause in self.state.withLock { $0.pauses.append(pause) } }, jitter: { 1 })
    }

    private func respond(_ exchange: Exchange) async throws -> Response {
        let body = String(decoding: try await exchange.body(upTo: 1 << 20), as: UTF8.self)
        let line = state.withLock { state in
            state.requests.append("\(exchange.request.method) \(exchange.path)")
            state.bodies.append(body)
            return state.script.count > 1 ? state.script.removeFirst() : state.script.first
        }
        guard Self.isTimely(exchange.request.headers) else {
            return Response(status: .forbidden, text: "<Error><Code>RequestTimeTooSkewed</Code></Error>")
        }
        switch line {
        case .answer(let status, let body, let entityTag):
            var fields = self.fields
            fields[.eTag] = entityTag
            return Response(status: .init(code: status), headers: fields, text: body)
        case .redirect(let place):
            return Response(status: .temporaryRedirect, headers: [.location: place])
        case .silence, nil:
            let (nothing, continuation) = AsyncStream<Never>.makeStream()
            for await _ in nothing {}
            continuation.finish()
            return Response(status: .serviceUnavailable)
        }
    }

    private static func isTimely(_ fields: HTTPFields) -> Bool {
        let style = Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted, timeZone: .gmt)
        guard let name = HTTPField.Name("x-amz-date"), let text = fields[name], let time = try? style.parse(text) else {
            return false
        }
        return abs(time.timeIntervalSinceNow) <= 900
    }
}
