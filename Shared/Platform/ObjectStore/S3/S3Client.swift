import AsyncHTTPClient
import Calling
import FoundationEssentials
import NIOCore
import NIOHTTP1
import Running
import TLS

/// Sends signed requests to an S3 store, and repeats those that failed for a transient reason.
///
/// Every request that is sent here is idempotent. Redirects are not followed, nothing is decompressed, an answer has a size
/// limit, and each attempt has a deadline.
struct S3Client: Sendable {
    private let endpoint: S3Endpoint
    private let signature: S3Signature
    private let retries: S3RetryPolicy
    private let clock: WallClock
    private let connections: ReloadedConnections

    init(
        _ endpoint: S3Endpoint, signature: S3Signature, retries: S3RetryPolicy, clock: WallClock
    ) throws(ConfigurationProblem) {
        self.endpoint = endpoint
        self.signature = signature
        self.retries = retries
        self.clock = clock
        let deadline = TimeAmount(retries.deadline)
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow, timeout: .init(connect: deadline, read: deadline, write: deadline),
            decompression: .disabled)
        if let authorities = endpoint.authorities {
            configuration.tlsConfiguration = try TLSFiles.anonymousClient(trusting: authorities)
        }
        configuration.httpVersion = .http1Only
        configuration.connectionPool.idleTimeout = .seconds(10)
        // The retry policy applies to the connection as well.
        configuration.connectionPool.retryConnectionEstablishment = false
        connections = try ReloadedConnections(tls: nil, peer: "s3", configuration: configuration)
    }

    /// An answer with status 200.
    struct Answer: Sendable {
        /// The entity tag as received, in quotation marks.
        let entityTag: String?
        let body: [UInt8]
    }

    /// Sends a request until it succeeds or the retry policy gives up.
    /// - Parameters:
    ///   - body: the body that `request` was made for.
    ///   - limit: the answer's maximum size in bytes.
    ///   - task: the purpose, such as "Writing version/v1".
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
            guard cause.isTransient, attempt < retries.attempts else {
                throw problem(cause, task: task, attempts: attempt)
            }
            try await retries.sleep(retries.pause(after: attempt))
            attempt += 1
        }
    }

    /// The problem that `task` failed.
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
        let deadline = NIODeadline.now() + TimeAmount(retries.deadline)
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
            // Without an explanation the status has to do.
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
            // AsyncHTTPClient's deadline covers the answer's header only.
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

    /// The code in S3's error document; nil if the body is no such document.
    private static func code(in body: ByteBuffer) -> String? {
        guard let element = S3Element(parsing: body.readableBytesView), element.name == "Error" else { return nil }
        return element["Code"].flatMap(S3Problem.code)
    }
}
