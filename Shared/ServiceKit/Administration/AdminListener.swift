import HTTPTypes
import HummingbirdCore
import NIOCore

extension Listener {
    /// The port for operators and Prometheus: `GET /health`, `GET /ready` and `GET /metrics`, plain HTTP, and what the
    /// listeners offer as OpenAPI documents, `GET /openapi/<listener>.json`.
    ///
    /// The metrics say with `service_ready`, 1 or 0, what `/ready` would: Prometheus can't ask that itself.
    ///
    /// It is bound to 127.0.0.1 unless `admin.host` says otherwise, and must never be reachable from outside.
    static func admin(
        host: String, port: Int, bound: BoundPort, readiness: Readiness, metrics: PrometheusMetrics,
        clock: WallClock, documents: [(listener: String, document: OpenAPIDocument)]
    ) -> Listener {
        Listener(name: "admin", host: host, port: port, security: .plain, bound: bound) { routes in
            routes.on(.get, "/health") { _ in
                text("{\"status\":\"live\"}\n", type: "application/json")
            }
            routes.on(.get, "/ready") { _ in
                let failures = await readiness.failures()
                // The names are our own words: they need no escaping.
                let list = failures.map { "\"\($0)\"" }.joined(separator: ",")
                return text(
                    "{\"failing\":[\(list)]}\n", type: "application/json",
                    status: failures.isEmpty ? .ok : .serviceUnavailable)
            }
            routes.on(.get, "/metrics") { _ in
                let ready = await readiness.failures().isEmpty ? "1" : "0"
                let line = "# TYPE service_ready gauge\n" + PrometheusText.line("service_ready", "", ready)
                return text(
                    metrics.published(at: clock.now) + line + ProcessMetrics.text, type: "text/plain; version=0.0.4")
            }
            for (listener, document) in documents {
                routes.on(.get, "/openapi/\(listener).json") { _ in
                    text(String(decoding: document.text, as: UTF8.self), type: "application/json")
                }
            }
        }
    }

    private static func text(_ body: String, type: String, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: type, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: body)))
    }
}
