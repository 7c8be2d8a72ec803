import Catalogue
import DevelopmentIdentityAPI
import Foundation
import Vigil

/// The table of listeners, for the person who started the suite.
struct SuiteTable {
    let plan: SuitePlan
    /// The connection string of the tables' owner.
    let ownerConnection: String

    var text: String {
        let rows = plan.services.flatMap { service in
            service.ports(first: plan.firstPort).map { port in (port.url, service.name, port.purpose) }
        }.sorted { $0.0.suffix(5) < $1.0.suffix(5) }
        let width = rows.map(\.1.count).max() ?? 0
        let lines = rows.map { url, name, purpose in
            "  \(url.padding(toLength: 26, withPad: " ", startingAt: 0))"
                + "\(name.padding(toLength: width + 2, withPad: " ", startingAt: 0))\(purpose)"
        }
        return """

            The suite is running:
            \(lines.joined(separator: "\n"))

              officers      \(plan.portalOrigin)/
                            sign in as \(DevelopmentUser.officer.rawValue) (tests) or \(DevelopmentUser.eventOfficer.rawValue) (tests and events),
                            password \(DevelopmentUser.password), one-time code: vigil-dev one-time-code --state \(plan.folder.path)
              certificates  \(plan.folder.certificates); apps and browsers trust ca.pem
              published     \(plan.folder.published)
              logs          \(plan.folder.logs)
              database      psql "\(ownerConnection)"

            Ctrl-C stops all of it.
            """
    }
}
