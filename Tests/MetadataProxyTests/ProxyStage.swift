import DonationAPI
import FurtherAPI
import HTTPContract
import HTTPTypes
import MetadataProxy
import PushAPI
import Running
import Serving
import SubmissionAPI
import Synchronization
import TLS
import TestSupport
import VerificationAPI

/// A proxy in front of an upstream that records every request as it arrives and replies as it is told.
final class ProxyStage: Sendable {
    struct Seen: Sendable {
        let path: String
        let fields: HTTPFields
        let body: String
    }

    struct Answer: Sendable {
        let status: HTTPResponse.Status
        let headers: WireFields
        let body: String
    }

    /// What the upstream offers.
    private static let routes =
        [
            VerificationAPI.registrationToken.route, VerificationAPI.testResult.route, VerificationAPI.tan.route,
            SubmissionAPI.diagnosisKeys.route, PushAPI.register.route, PushAPI.registerV1.route,
        ] + donations + further

    /// The routes to further, written down a second time.
    static let further = [FurtherAPI.report.route, FurtherAPI.batch.route, FurtherAPI.key.route]

    /// The routes to data-donation, written down a second time.
    static let donations = [
        DonationAPI.surveyOnIOS.route, DonationAPI.surveyOnAndroid.route, DonationAPI.logOnIOS.route,
        DonationAPI.logOnAndroid.route, DonationAPI.reportOnIOS.route, DonationAPI.reportOnAndroid.route,
        DonationAPI.challenge.route, DonationAPI.analyticsOnIOS.route, DonationAPI.analyticsOnAndroid.route,
    ]

    let seen = Mutex<[Seen]>([])
    let answer = Mutex(Response(status: .created))
    /// Awaited before each answer.
    let beforeAnswer = Mutex<@Sendable () async -> Void>({})
    private let runtime = Mutex<ServiceRuntime?>(nil)
    private let base: String
    private let authorities: String

    private init(base: String, authorities: String) {
        self.base = base
        self.authorities = authorities
    }

    /// - Parameter upstreamPort: the port of the services, as the proxy is configured; by default the stage's upstream.
    static func run<Result: Sendable>(
        upstreamPort: Int? = nil, settings others: [String: String] = [:],
        _ body: @Sendable (ProxyStage) async throws -> Result
    ) async throws -> Result {
        let certificates = try TestCertificates()
        let port = TestPort.free()
        let stage = ProxyStage(
            base: "https://localhost:\(port)", authorities: "\(certificates.directory)/authority.pem")
        let upstream = Listener(
            name: "upstream", host: "127.0.0.1", port: 0,
            security: .mutualTLS(try certificates.files(role: .verificationServer))
        ) { routes in
            for route in Self.routes {
                routes.on(route.method, route.path) { exchange in
                    let body = try await exchange.body(upTo: 1 << 20)
                    stage.seen.withLock {
                        $0.append(
                            Seen(
                                path: exchange.request.target, fields: exchange.request.headers,
                                body: String(decoding: body, as: UTF8.self)))
                    }
                    await stage.beforeAnswer.withLock { $0 }()
                    return stage.answer.withLock { $0 }
                }
            }
        }
        return try await withService(listeners: [upstream]) { _ in
            let inner = try certificates.files(role: .metadataProxy)
            let outer = try certificates.files(role: nil)
            let target: Int
            if let upstreamPort { target = upstreamPort } else { target = try await upstream.boundPort }
            let settings = [
                "listen.port": "\(port)", "public.certificate": outer.certificate, "public.key": outer.key,
                "tls.certificate": inner.certificate, "tls.key": inner.key, "tls.authorities": stage.authorities,
                "verification.url": "https://localhost:\(target)", "submission.url": "https://localhost:\(target)",
                "push.url": "https://localhost:\(target)", "donation.url": "https://localhost:\(target)",
                "further.url": "https://localhost:\(target)",
                // A service has eight times this for its reply: beside other tests it may be slow.
                "answers.deadline": "1500",
            ].merging(others) { $1 }
            return try await withRunningService("metadata-proxy", settings: settings, serve: MetadataProxy.serve) {
                runtime in
                stage.runtime.withLock { $0 = runtime }
                return try await body(stage)
            }
        }
    }

    /// The metrics on the proxy's admin port.
    var metrics: String { runtime.withLock { $0?.metrics.text ?? "" } }

    /// Waits until a metric has a value. Between checks it sends requests that the proxy refuses at once, so that waiting
    /// doesn't occupy a thread.
    func waits(for line: String) async {
        while !metrics.contains(line), !Task.isCancelled { _ = try? await send("/version/v1/other", body: "") }
    }

    /// Sends a request as an app might.
    func send(
        _ path: String, method: HTTPMethod = .POST, body: String, fields: [String: String] = [:], http2: Bool = false
    ) async throws -> Answer {
        let headers = ["content-type": "application/json"].merging(fields) { $1 }
        let answer = try await TestSupport.send(
            method, base + path, headers: headers.map { ($0.key, $0.value) }, body: body.isEmpty ? nil : body,
            tls: ClientTLS(trusting: authorities), http2: http2)
        return Answer(status: HTTPResponse.Status(code: answer.status), headers: answer.fields, body: answer.body)
    }
}
