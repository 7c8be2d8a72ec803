import Calling
import FoundationEssentials
import HTTPMessage
import HTTPTypes
import Loop
import Running

/// Sends signed requests to an S3 store, and repeats those that failed for a transient reason.
///
/// Every request that is sent here is idempotent. Redirects are not followed, nothing is decompressed, an answer has a size
/// limit, and each attempt has a deadline.
struct S3Client: Sendable {
    private let endpoint: S3Endpoint
    private let signature: S3Signature
    private let retries: S3RetryPolicy
    private let clock: WallClock
    private let http: HTTPClient

    init(
        _ endpoint: S3Endpoint, signature: S3Signature, retries: S3RetryPolicy, clock: WallClock
    ) throws(ConfigurationProblem) {
        self.endpoint = endpoint
        self.signature = signature
        self.retries = retries
        self.clock = clock
        http = try HTTPClient(base: endpoint.base, authorities: endpoint.authorities) { peer in
            peer.connectTime = retries.deadline
            peer.idleTime = .seconds(10)
            // The retry policy applies to the connection as well.
            peer.reconnects = false
        }
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
        _ request: S3Request, body: [UInt8]? = nil, limit: Int = 1 << 20, for task: String
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
        _ request: S3Request, body: [UInt8]?, limit: Int
    ) async throws -> Result<Answer, Failure> {
        var fields = FieldLines()
        // The client writes `Host` itself, as it is signed.
        for field in signature.fields(of: request, at: clock.now) where field.name != "host" {
            guard let name = HTTPField.Name(field.name) else { continue }
            fields.append(name, field.value)
        }
        let message = ClientRequest(request.method, request.target, fields: fields, body: body)
        do {
            let response = try await http.send(message, within: retries.deadline, limit: limit)
            guard response.status == .ok else {
                // Without an explanation the status has to do.
                return .failure(
                    Failure(
                        cause: .refused(status: UInt(response.status.code), code: Self.code(in: response.body))))
            }
            // An error document that comes with 200 isn't a success. Of an object that is read, the body is the object.
            if !request.readsObject, let code = Self.code(in: response.body) {
                return .failure(Failure(cause: .refused(status: 200, code: code)))
            }
            return .success(Answer(entityTag: response.fields.first(.eTag), body: response.body))
        } catch {
            try Task.checkCancellation()
            return .failure(Failure(cause: Self.cause(of: error)))
        }
    }

    private static func cause(of failure: CallFailure) -> S3Problem.Cause {
        switch failure {
        case .late, .noConnection(.timedOut): .noAnswerInTime
        case .tooLarge: .tooLarge
        case .malformed: .malformedAnswer
        default: .noConnection
        }
    }

    /// The code in S3's error document; nil if the body is no such document.
    private static func code(in body: [UInt8]) -> String? {
        // Listings aren't parsed twice.
        guard body.count < 65_536, let element = S3Element(parsing: body), element.name == "Error" else {
            return nil
        }
        return element["Code"].flatMap(S3Problem.code)
    }
}
