package import HTTPContract
import HTTPTypes
package import Serving

/// The request of the tests' own operation.
package struct Greeting: JSONMessage, Equatable {
    package let name: String

    package static let schema = JSONSchema.object(["name": .text()])

    package init(name: String) { self.name = name }
}

/// The answer to a ``Greeting``.
package struct Welcome: JSONMessage, Equatable {
    package let text: String

    package static let schema = JSONSchema.object(["text": .text()])

    package init(text: String) { self.text = text }
}

/// The tests' own operations.
package enum TestAPI {
    package static let greet = Endpoint<Greeting, Welcome>(
        .post, "/greet", callers: [.lab, .portal], bodyLimit: 64, summary: "Greets.",
        refusals: [.conflict: "The name is taken."])
    package static let ping = Endpoint<NoContent, NoContent>(
        .get, "/ping", callers: [.lab], bodyLimit: 0, success: .noContent, summary: "Does nothing.")
}

extension Listener {
    /// A plain listener on a free port.
    package static func plain(limits: Limits? = nil, routes: (inout Routes) -> Void) -> Listener {
        Listener(name: "app", host: "127.0.0.1", port: 0, security: .plain, limits: limits, routes: routes)
    }

    /// A listener that greets.
    package static func greeting(_ security: Security, limits: Limits? = nil, name: String = "app") -> Listener {
        Listener(name: name, host: "127.0.0.1", port: 0, security: security, limits: limits) { routes in
            routes.on(TestAPI.greet) { request, caller in
                Welcome(text: "\(request.name) \(caller.role?.rawValue ?? "-") \(caller.name)")
            }
            routes.on(TestAPI.ping) { _, _ in NoContent() }
        }
    }
}
