import Pages

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
                            tag(.th, .set(.scope, "row")) { name(service.service) }
                            tag(.td, .class(service.state == .ready ? "good" : "bad")) { text(service.state) }
                        }
                    }
                }
            }
            tag(.h2) { words.status.notices }
            tag(.p) { portal.notice ?? words.status.noNotices }
        }
    }

    private func name(_ service: ServiceState.Service) -> String {
        switch service {
        case .codes: words.status.codes
        case .signIn: words.status.signIn
        }
    }

    private func text(_ state: ServiceState.State) -> String {
        switch state {
        case .ready: "✓ \(words.status.ready)"
        case .closed: "✗ \(words.status.closed)"
        case .away: "✗ \(words.status.away)"
        }
    }
}
