import AsyncHTTPClient
import Calling
import ExposureKeys
import FederationFormat
import FoundationEssentials
import HTTPContract
import Metrics
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import Running
import ServiceLifecycle
import TLS

/// Calls a gateway (efgs-federation-gateway, `docs/openapi.json` and the controllers).
///
/// Every call has a deadline for all of it and a limit for the answer's body, follows no redirect and decompresses nothing. A status is
/// believed, and the text of an error never read.
struct GatewayClient: Service, TLSUser {
    /// Why there is no usable answer.
    enum Problem: Error, Equatable {
        /// The gateway refused with this status.
        case refused(Int)
        /// No connection, no answer in time, or a status that says "not now": 429 or 5xx.
        case unavailable(status: Int?)
        /// The answer isn't one of the gateway's; the text is a metric's label.
        case malformed(Malformation)

        /// The statuses that say that the gateway doesn't have a batch (404), not any more (410), or not of this day (400).
        static let missing = [400, 404, 410]
    }

    /// What is wrong with an answer.
    enum Malformation: String {
        /// Another media type: a load balancer's page.
        case notABatch = "not_a_batch"
        /// More bytes than are read.
        case tooLarge = "too_large"
        /// A field of the header that isn't a batch's name.
        case tag = "unreadable_tag"
        /// A body that isn't what was asked for.
        case body = "unreadable"
    }

    /// What the gateway answered to an upload.
    struct UploadReply: Sendable {
        /// Nil without an answer.
        let status: Int?
        let body: [UInt8]

        static let none = UploadReply(status: nil, body: [])
    }

    /// A batch as it came, before anything of it was read.
    struct Download: Sendable {
        let tag: BatchTag
        /// Nil if the field isn't a name; then only the link is unusable.
        let link: BatchLink?
        let body: [UInt8]
    }

    /// A subscription to callbacks.
    struct Subscription: Codable, Hashable, Sendable {
        let callbackId: String
        let url: String
    }

    private let base: String
    private let connections: ReloadedConnections
    private let calls: Calls
    private let deadline: Duration

    /// 5,000 keys with 96 countries each have less than three megabytes.
    static let largestBatch = 4 << 20
    /// 5,000 uploads of one key, each with two certificates, don't fit; 1,000 do.
    static let largestAudit = 24 << 20
    private static let largestList = 64 << 10
    private static let media = MediaType("application/protobuf", parameters: ["version": "1.0"])
    private static let jsonMedia = MediaType("application/json", parameters: ["version": "1.0"])

    init(_ plan: GatewayPlan, metrics: any MetricsFactory) throws(ConfigurationProblem) {
        base = plan.url
        deadline = plan.deadline
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: .init(connect: .seconds(10), read: TimeAmount(plan.deadline)), decompression: .disabled)
        configuration.httpVersion = .http1Only
        configuration.connectionPool.idleTimeout = .seconds(20)
        connections = try ReloadedConnections(outside: plan.tls, peer: "gateway", configuration: configuration)
        calls = Calls(metrics)
    }

    var watchedTLS: (any WatchedTLS)? { connections.watchedTLS }

    func run() async throws { try await connections.run() }

    func close() async { await connections.close() }

    // MARK: Operations

    /// Uploads a signed batch.
    ///
    /// - Returns: whatever the answer is. Without one the gateway may have the batch nevertheless; it can be sent again.
    func upload(_ batch: [UInt8], tag: BatchTag, signature: BatchSignature) async -> UploadReply {
        var request = HTTPClientRequest(url: "\(base)/diagnosiskeys/upload")
        request.method = .POST
        request.headers.add(name: "content-type", value: Self.media.text)
        request.headers.add(name: "batchTag", value: tag.text)
        request.headers.add(name: "batchSignature", value: signature.field)
        request.body = .bytes(ByteBuffer(bytes: batch))
        do throws(Problem) {
            let answer = try await answer(to: request, limit: Self.largestList)
            calls.count(.upload, answer.status < 300 ? .answered : .refused)
            return UploadReply(status: answer.status, body: answer.body)
        } catch {
            calls.count(.upload, .unavailable)
            if case .unavailable(let status?) = error { return UploadReply(status: status, body: []) }
            return .none
        }
    }

    /// Reads a batch.
    ///
    /// - Parameter tag: nil for the first batch that was made on the day, or after it.
    func download(_ day: Day, _ tag: BatchTag?) async throws(Problem) -> Download {
        var request = HTTPClientRequest(url: "\(base)/diagnosiskeys/download/\(day.name)")
        request.headers.add(name: "accept", value: Self.media.text)
        if let tag { request.headers.add(name: "batchTag", value: tag.text) }
        let answer = try await successful(request, limit: Self.largestBatch, .download)
        // A load balancer that answers for the gateway has neither the field nor the media type.
        guard answer.body.isEmpty || answer.matches(Self.media) else { throw malformed(.notABatch, .download) }
        guard let name = answer.headers.first(name: "batchTag"), let found = BatchTag(name) else {
            throw malformed(.tag, .download)
        }
        calls.count(.download, .answered)
        return Download(
            tag: found, link: BatchLink(answer.headers.first(name: "nextBatchTag")), body: answer.body)
    }

    /// Reads who uploaded a batch's keys.
    /// - Parameter day: the batch's own.
    func audit(_ day: Day, _ tag: BatchTag) async throws(Problem) -> [AuditEntry] {
        var request = HTTPClientRequest(url: "\(base)/diagnosiskeys/audit/download/\(day.name)/\(tag.text)")
        request.headers.add(name: "accept", value: Self.jsonMedia.text)
        let answer = try await successful(request, limit: Self.largestAudit, .audit)
        guard let entries = AuditEntry.list(json: answer.body, limit: Self.largestAudit) else {
            throw malformed(.body, .audit)
        }
        calls.count(.audit, .answered)
        return entries
    }

    /// This country's subscriptions.
    func subscriptions() async throws(Problem) -> [Subscription] {
        let answer = try await successful(
            HTTPClientRequest(url: "\(base)/diagnosiskeys/callback"), limit: Self.largestList, .callbacks)
        guard let list = try? JSONDecoder().decode([Subscription].self, from: Data(answer.body)) else {
            throw malformed(.body, .callbacks)
        }
        calls.count(.callbacks, .answered)
        return list
    }

    /// Makes or replaces a subscription.
    func subscribe(_ subscription: Subscription) async throws(Problem) {
        let query: URLEncodedValues = ["url": subscription.url]
        var request = HTTPClientRequest(
            url: "\(base)/diagnosiskeys/callback/\(subscription.callbackId)?\(query.encoded)")
        request.method = .PUT
        _ = try await successful(request, limit: Self.largestList, .callbacks)
        calls.count(.callbacks, .answered)
    }

    // MARK: Calling

    private struct Answer: Sendable {
        let status: Int
        let headers: HTTPHeaders
        let body: [UInt8]

        func matches(_ media: MediaType) -> Bool {
            headers.first(name: "content-type").map(media.matches) ?? false
        }
    }

    private func malformed(_ what: Malformation, _ operation: Calls.Operation) -> Problem {
        calls.count(operation, .malformed)
        return .malformed(what)
    }

    /// An answer with 2xx.
    private func successful(
        _ request: HTTPClientRequest, limit: Int, _ operation: Calls.Operation
    ) async throws(Problem) -> Answer {
        let answer: Answer
        do {
            answer = try await self.answer(to: request, limit: limit)
        } catch {
            switch error {
            case .malformed: calls.count(operation, .malformed)
            case .refused, .unavailable: calls.count(operation, .unavailable)
            }
            throw error
        }
        guard (200..<300).contains(answer.status) else {
            calls.count(operation, .refused)
            throw .refused(answer.status)
        }
        return answer
    }

    /// An answer below 500, within the deadline.
    private func answer(to request: HTTPClientRequest, limit: Int) async throws(Problem) -> Answer {
        do {
            let answer = try await withThrowingTaskGroup(of: Answer.self) { group in
                group.addTask { try await connections.with { try await fetch(request, limit: limit, over: $0) } }
                group.addTask {
                    try await Task.sleep(for: deadline)
                    throw Problem.unavailable(status: nil)
                }
                defer { group.cancelAll() }
                guard let first = try await group.next() else { throw Problem.unavailable(status: nil) }
                return first
            }
            guard answer.status < 500, answer.status != 429 else { throw Problem.unavailable(status: answer.status) }
            return answer
        } catch {
            throw error as? Problem ?? .unavailable(status: nil)
        }
    }

    private func fetch(_ request: HTTPClientRequest, limit: Int, over http: HTTPClient) async throws -> Answer {
        let response = try await http.execute(request, timeout: TimeAmount(deadline))
        var body = ByteBuffer()
        for try await chunk in response.body {
            guard body.readableBytes + chunk.readableBytes <= limit else { throw Problem.malformed(.tooLarge) }
            body.writeImmutableBuffer(chunk)
        }
        return Answer(
            status: Int(response.status.code), headers: response.headers, body: Array(buffer: body))
    }
}

/// Counts the calls to a gateway.
private struct Calls: Sendable {
    enum Operation: String, CaseIterable {
        case upload, download, audit, callbacks
    }

    enum Outcome: String, CaseIterable {
        case answered, refused, unavailable, malformed
    }

    private let counters: [Operation: [Outcome: Counter]]

    init(_ factory: any MetricsFactory) {
        counters = Dictionary(
            uniqueKeysWithValues: Operation.allCases.map { operation in
                let outcomes = Outcome.allCases.map { outcome in
                    let labels = [("operation", operation.rawValue), ("outcome", outcome.rawValue)]
                    return (
                        outcome, Counter(label: "federation_gateway_calls_total", dimensions: labels, factory: factory)
                    )
                }
                return (operation, Dictionary(uniqueKeysWithValues: outcomes))
            })
    }

    func count(_ operation: Operation, _ outcome: Outcome) { counters[operation]?[outcome]?.increment() }
}
