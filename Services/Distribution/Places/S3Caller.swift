import AsyncHTTPClient
import Calling
import FoundationEssentials
import NIOCore
import NIOHTTP1
import Running
import TLS

/// Sends signed requests to an S3 store, each again where that may help.
///
/// All requests that are sent here may be repeated: what they do once they do twice. Redirects are not followed,
/// nothing is decompressed, an answer has a limit, and each attempt a deadline.
struct S3Caller: Sendable {
    private let endpoint: S3Endpoint
    private let signature: S3Signature
    private let patience: S3Patience
    private let clock: WallClock
    private let connections: ReloadedConnections

    init(
        _ endpoint: S3Endpoint, signature: S3Signature, patience: S3Patience, clock: WallClock
    ) throws(ConfigurationProblem) {
        self.endpoint = endpoint
        self.signature = signature
        self.patience = patience
        self.clock = clock
        let deadline = TimeAmount(patience.deadline)
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow, timeout: .init(connect: deadline, read: deadline, write: deadline),
            decompression: .disabled)
        if let authorities = endpoint.authorities {
            configuration.tlsConfiguration = try TLSFiles.anonymousClient(trusting: authorities)
        }
        configuration.httpVersion = .http1Only
        configuration.connectionPool.idleTimeout = .seconds(10)
        // It is tried again here, with the request.
        configuration.connectionPool.retryConnectionEstablishment = false
        connections = try ReloadedConnections(tls: nil, peer: "s3", configuration: configuration)
    }

    /// An answer with status 200.
    struct Answer: Sendable {
        /// As it came, in quotation marks.
        let entityTag: String?
        let body: [UInt8]
    }

    /// Sends a request until it succeeds, as often as patience allows.
    /// - Parameters:
    ///   - body: the one that the request was made for.
    ///   - limit: the most bytes the answer may have.
    ///   - task: what it is for, such as "Writing version/v1".
    /// - Throws: ``S3Problem``, or `CancellationError`.
    func send(
        _ request: S3Request, body: ByteBuffer? = nil, limit: Int = 1 << 20, for task: String
    ) async throws -> Answer {
        var attempt = 1
        while true {
            let cause: S3Problem.Cause
            switch try await perform(request, body: body, limit: limit) {
            case .success(let answer): return answer
            case .failure(let failure): cause = failure.cause
            }
            guard cause.mayPass, attempt < patience.attempts else {
                throw problem(cause, task: task, attempts: attempt)
            }
            try await patience.sleep(patience.pause(after: attempt))
            attempt += 1
        }
    }

    /// The problem that something was not done.
    func problem(_ cause: S3Problem.Cause, task: String, attempts: Int = 1) -> S3Problem {
        S3Problem(task: task, bucket: endpoint.bucket, cause: cause, attempts: attempts)
    }

    // MARK: One attempt

    private struct Failure: Error {
        let cause: S3Problem.Cause
    }

    /// - Throws: only if the task is cancelled.
    private func perform(
        _ request: S3Request, body: ByteBuffer?, limit: Int
    ) async throws -> Result<Answer, Failure> {
        let deadline = NIODeadline.now() + TimeAmount(patience.deadline)
        do {
            return .success(
                try await connections.with { http in
                    try await perform(request, body: body, limit: limit, over: http, until: deadline)
                })
        } catch let failure as Failure {
            return .failure(failure)
        } catch {
            try Task.checkCancellation()
            return .failure(Failure(cause: Self.isTimeout(error) ? .noAnswerInTime : .noConnection))
        }
    }

    private func perform(
        _ request: S3Request, body: ByteBuffer?, limit: Int, over http: HTTPClient, until deadline: NIODeadline
    ) async throws -> Answer {
        var message = HTTPClientRequest(url: endpoint.base + request.target)
        message.method = request.method
        for field in signature.fields(of: request, at: clock.now) {
            message.headers.add(name: field.name, value: field.value)
        }
        if let body { message.body = .bytes(body) }
        let response = try await http.execute(message, deadline: deadline)
        guard response.status == .ok else {
            // The status alone says enough where the explanation doesn't come.
            let explanation = try? await collect(response.body, limit: 1 << 16, until: deadline)
            throw Failure(
                cause: .refused(status: response.status.code, code: explanation.flatMap(Self.code)))
        }
        return Answer(
            entityTag: response.headers.first(name: "etag"),
            body: Array(try await collect(response.body, limit: limit, until: deadline).readableBytesView))
    }

    private func collect(
        _ chunks: HTTPClientResponse.Body, limit: Int, until deadline: NIODeadline
    ) async throws -> ByteBuffer {
        var body = ByteBuffer()
        for try await chunk in chunks {
            guard body.readableBytes + chunk.readableBytes <= limit else { throw Failure(cause: .tooLarge) }
            // The library's own deadline ends with the answer's header.
            guard NIODeadline.now() < deadline else { throw Failure(cause: .noAnswerInTime) }
            body.writeImmutableBuffer(chunk)
        }
        return body
    }

    private static func isTimeout(_ error: any Error) -> Bool {
        let timeouts: [HTTPClientError] = [
            .deadlineExceeded, .readTimeout, .writeTimeout, .connectTimeout, .getConnectionFromPoolTimeout,
        ]
        return (error as? HTTPClientError).map(timeouts.contains) ?? false
    }

    /// The code of S3's answer to a request that it refuses; nil when it is none.
    private static func code(in body: ByteBuffer) -> String? {
        guard let element = S3Element(parsing: body.readableBytesView), element.name == "Error" else { return nil }
        return element["Code"].flatMap(S3Problem.code)
    }
}
