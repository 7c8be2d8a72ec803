import Pages

/// One service that codes depend on.
struct ServiceState: Sendable {
    /// A key of `Words.Status.names`.
    let name: String
    /// Nil if it doesn't answer.
    let isReady: Bool?
}

extension Frame {
    /// Whether the services answer. It counts nobody.
    func statusPage(_ services: [ServiceState]) -> HTML {
        document(title: words.status.title) {
            tag(.h1) { words.status.title }
            tag(.p, .class("lead")) { words.status.lead }
            tag(.table) {
                tag(.caption, .class("unseen")) { words.status.title }
                tag(.thead) {
                    tag(.tr) {
                        tag(.th, .set(.scope, "col")) { words.status.service }
                        tag(.th, .set(.scope, "col")) { words.status.state }
                    }
                }
                tag(.tbody) {
                    for service in services {
                        tag(.tr) {
                            tag(.th, .set(.scope, "row")) { words.status.names[service.name] ?? service.name }
                            tag(.td, .class(service.isReady == true ? "good" : "bad")) { text(service.isReady) }
                        }
                    }
                }
            }
            tag(.h2) { words.status.notices }
            tag(.p) { portal.notice ?? words.status.noNotices }
        }
    }

    private func text(_ isReady: Bool?) -> String {
        switch isReady {
        case true?: "✓ \(words.status.ready)"
        case false?: "✗ \(words.status.notReady)"
        case nil: "✗ \(words.status.away)"
        }
    }
}
