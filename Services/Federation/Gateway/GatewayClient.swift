import ExposureKeys
import FederationFormat
import FoundationEssentials
import HTTPContract
import HTTPTypes
import Logging
import Metrics
import OutsideCalls
import Running
import ServiceLifecycle
import StrictJSON
import TLS

/// Calls a gateway (efgs-federation-gateway, `docs/openapi.json` and the controllers).
///
/// Every call has a connection of its own, through the operator's proxy if there is one, a deadline for all of it and a limit for the
/// answer's body. It follows no redirect and decompresses nothing. A status is believed; the text of an error is only shown.
struct GatewayClient: Service, TLSUser {
    /// Why there is no usable answer.
    enum Problem: Error, Equatable {
        /// The gateway refused with this status, and said so.
        case refused(Int, said: String? = nil)
        /// No connection, no answer in time, or a status that says "not now": 429 or 5xx.
        case unavailable(status: Int?, said: String? = nil)
        /// The answer isn't one of the gateway's; the text is a metric's label.
        case malformed(Malformation)

        /// The statuses that say that the gateway doesn't have a batch (404), not any more (410), or not of this day (400).
        static let missing = [400, 404, 410]

        /// As it is stored.
        var reason: String {
            switch self {
            case .refused(let status, _), .unavailable(let status?, _): "status_\(status)"
            case .unavailable(nil, _): "unavailable"
            case .malformed(let what): what.rawValue
            }
        }

        /// What the gateway says about it.
        var said: String? {
            switch self {
            case .refused(_, let said), .unavailable(_, let said): said
            case .malformed: nil
            }
        }
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
        /// Its text, unless it is a success.
        var said: String?

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
    private let outside: OutsideCalls
    private let calls: Calls
    private let deadline: Duration
    private let logger: Logger

    /// 5,000 keys with 96 countries each have less than three megabytes.
    static let largestBatch = 4 << 20
    /// 5,000 uploads of one key, each with two certificates, don't fit; 1,000 do.
    static let largestAudit = 24 << 20
    private static let largestList = 64 << 10
    private static let media = MediaType("application/protobuf", parameters: ["version": "1.0"])
    private static let jsonMedia = MediaType("application/json", parameters: ["version": "1.0"])

    init(_ plan: GatewayPlan, metrics: any MetricsFactory, logger: Logger) throws(ConfigurationProblem) {
        self.logger = logger
        base = plan.url
        deadline = plan.deadline
        outside = try OutsideCalls(plan.tls, peer: "gateway")
        calls = Calls(metrics)
    }

    var watchedTLS: (any WatchedTLS)? { outside.watchedTLS }

    /// Waits for shutdown: its TLS files are watched as long as it runs.
    func run() async throws { try? await gracefulShutdown() }

    // MARK: Operations

    /// Uploads a signed batch.
    ///
    /// - Returns: whatever the answer is. Without one the gateway may have the batch nevertheless; it can be sent again.
    func upload(_ batch: [UInt8], tag: BatchTag, signature: BatchSignature) async -> UploadReply {
        let request = OutsideRequest(
            "\(base)/diagnosiskeys/upload",
            fields: [.contentType: Self.media.text, .batchTag: tag.text, .batchSignature: signature.field],
            body: batch)
        do throws(Problem) {
            let answer = try await answer(to: request, limit: Self.largestList, .upload)
            calls.count(.upload, answer.status.code < 300 ? .answered : .refused)
            let code = answer.status.code
            return UploadReply(
                status: code, body: answer.body, said: code < 300 ? nil : GatewayText.read(answer.body))
        } catch {
            calls.count(.upload, .unavailable)
            if case .unavailable(let status?, let said) = error {
                return UploadReply(status: status, body: [], said: said)
            }
            return .none
        }
    }

    /// Reads a batch.
    ///
    /// - Parameter tag: nil for the first batch that was made on the day, or after it.
    func download(_ day: Day, _ tag: BatchTag?) async throws(Problem) -> Download {
        var request = OutsideRequest(
            "\(base)/diagnosiskeys/download/\(day.name)", fields: [.accept: Self.media.text])
        request.fields[.batchTag] = tag?.text
        let answer = try await successful(request, limit: Self.largestBatch, .download)
        // A load balancer that answers for the gateway has neither the field nor the media type.
        guard answer.body.isEmpty || Self.media.matches(contentType: answer.fields[.contentType] ?? "") else {
            throw malformed(.notABatch, .download)
        }
        guard let name = answer.fields[.batchTag], let found = BatchTag(name) else {
            throw malformed(.tag, .download)
        }
        calls.count(.download, .answered)
        return Download(
            tag: found, link: BatchLink(answer.fields[.nextBatchTag]), body: answer.body)
    }

    /// Reads who uploaded a batch's keys.
    /// - Parameter day: the batch's own.
    func audit(_ day: Day, _ tag: BatchTag) async throws(Problem) -> [AuditEntry] {
        let request = OutsideRequest(
            "\(base)/diagnosiskeys/audit/download/\(day.name)/\(tag.text)",
            fields: [.accept: Self.jsonMedia.text])
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
            OutsideRequest("\(base)/diagnosiskeys/callback"), limit: Self.largestList, .callbacks)
        guard let list = try? StrictJSON.decode([Subscription].self, from: Data(answer.body)) else {
            throw malformed(.body, .callbacks)
        }
        calls.count(.callbacks, .answered)
        return list
    }

    /// Makes or replaces a subscription.
    func subscribe(_ subscription: Subscription) async throws(Problem) {
        let query: URLEncodedValues = ["url": subscription.url]
        let request = OutsideRequest(
            "\(base)/diagnosiskeys/callback/\(subscription.callbackId)?\(query.encoded)", method: .put)
        _ = try await successful(request, limit: Self.largestList, .callbacks)
        calls.count(.callbacks, .answered)
    }

    // MARK: Calling

    private func malformed(_ what: Malformation, _ operation: Calls.Operation) -> Problem {
        calls.count(operation, .malformed)
        return .malformed(what)
    }

    /// An answer with 2xx.
    private func successful(
        _ request: OutsideRequest, limit: Int, _ operation: Calls.Operation
    ) async throws(Problem) -> OutsideResponse {
        let answer: OutsideResponse
        do {
            answer = try await self.answer(to: request, limit: limit, operation)
        } catch {
            switch error {
            case .malformed: calls.count(operation, .malformed)
            case .refused, .unavailable: calls.count(operation, .unavailable)
            }
            throw error
        }
        guard answer.status.kind == .successful else {
            calls.count(operation, .refused)
            throw .refused(answer.status.code, said: GatewayText.read(answer.body))
        }
        return answer
    }

    /// An answer below 500, within the deadline.
    private func answer(
        to request: OutsideRequest, limit: Int, _ operation: Calls.Operation
    ) async throws(Problem) -> OutsideResponse {
        let answer: OutsideResponse
        do {
            answer = try await outside.send(request, within: deadline, limit: limit)
        } catch {
            // What fails for want of an answer is logged where it is decided what follows; only here it is known why there is none.
            logger.warning(
                "the gateway doesn't answer",
                metadata: ["operation": "\(operation.rawValue)", "reason": "\(error.rawValue)"])
            throw error == .tooLarge ? .malformed(.tooLarge) : .unavailable(status: nil)
        }
        guard answer.status.code < 500, answer.status != .tooManyRequests else {
            throw .unavailable(status: answer.status.code, said: GatewayText.read(answer.body))
        }
        return answer
    }
}

extension HTTPField.Name {
    fileprivate static let batchTag = known("batchTag")
    fileprivate static let batchSignature = known("batchSignature")
    fileprivate static let nextBatchTag = known("nextBatchTag")

    private static func known(_ name: StaticString) -> HTTPField.Name {
        guard let field = HTTPField.Name(name.description) else { preconditionFailure("not a field name") }
        return field
    }
}

extension GatewayClient.Problem: OperatorProblem {
    var description: String {
        let tail = said.map { " (\($0))" } ?? ""
        return switch self {
        case .refused: "The gateway refused with \(reason)\(tail)."
        case .unavailable(.some, _): "The gateway is unavailable: \(reason)\(tail)."
        case .unavailable(nil, _): "The gateway is unavailable: no connection, or no answer in time."
        case .malformed(let what): "The answer isn't the gateway's: \(what.rawValue)."
        }
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
