import FoundationEssentials
import HTTPContract
import HTTPTypes
import Running
import TLS

extension Listener {
    /// The port for the operator on this machine, over plain HTTP: `GET /health`, `GET /ready`, `GET /metrics`, and the
    /// listeners' OpenAPI documents at `GET /openapi/<listener>.json`.
    ///
    /// It is bound to 127.0.0.1 only, because it requires no certificate. Other machines use ``metrics(_:bound:figures:)``.
    static func admin(
        port: Int, bound: BoundPort, figures: Figures, documents: [(listener: String, document: OpenAPIDocument)]
    ) -> Listener {
        Listener(name: "admin", host: loopback, port: port, security: .plain, bound: bound) { routes in
            routes.on(.get, "/health") { _ in
                text("{\"status\":\"live\"}\n", type: "application/json")
            }
            routes.on(.get, "/ready") { _ in
                let answer = await figures.readiness.answer()
                let encoder = JSONEncoder()
                encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
                return text(
                    String(decoding: try encoder.encode(answer), as: UTF8.self) + "\n", type: "application/json",
                    status: answer.failing.isEmpty ? .ok : .serviceUnavailable)
            }
            routes.on(.get, "/metrics") { _ in await figures.answer() }
            for (listener, document) in documents {
                routes.on(.get, "/openapi/\(listener).json") { _ in
                    text(String(decoding: document.text, as: UTF8.self), type: "application/json")
                }
            }
        }
    }

    /// The port for a Prometheus on another machine or in another container: `GET /metrics` for the role `prometheus`.
    ///
    /// - Returns: nil unless `metrics.port` is set; then `tls.*` must be, too.
    static func metrics(
        _ settings: Settings, bound: BoundPort, figures: Figures
    ) throws(ConfigurationProblem) -> Listener? {
        guard settings.optionalString("metrics.port") != nil else {
            // A service may have a certificate for this port alone: its settings aren't misspelt.
            TLSFiles.know(settings)
            return nil
        }
        return Listener(
            name: "metrics", host: settings.string("metrics.host", default: loopback),
            port: try settings.port("metrics.port"), security: .mutualTLS(try TLSFiles(settings)), bound: bound
        ) { routes in
            routes.on(.get, "/metrics", callers: [.prometheus]) { _ in await figures.answer() }
        }
    }

    /// The address of the admin port.
    static let loopback = "127.0.0.1"

    /// The answer to `GET /metrics`.
    struct Figures: Sendable {
        let readiness: Readiness
        let metrics: PrometheusMetrics
        let clock: WallClock

        /// The answer, including `service_ready` with 1 or 0, the result of `/ready`: Prometheus can't query that itself.
        fileprivate func answer() async -> Response {
            let ready = await readiness.failures().isEmpty ? "1" : "0"
            let line = "# TYPE service_ready gauge\n" + PrometheusText.line("service_ready", "", ready)
            return text(
                metrics.published(at: clock.now) + line + ProcessMetrics.text, type: "text/plain; version=0.0.4")
        }
    }

    fileprivate static func text(_ body: String, type: String, status: HTTPResponse.Status = .ok) -> Response {
        Response(status: status, headers: [.contentType: type, .cacheControl: "no-store"], text: body)
    }
}
