import Catalogue
import Foundation
import Testing

/// Load balancers that say for whom they call: docker-compose.yml, HAProxy's example and the runbook agree with the catalogue.
struct BalancerFileTests {
    private static let setting = "${VIGIL_PROXY_PROTOCOL:-}"

    @Test("docker-compose.yml gives the balancers to each door and to no other listener", arguments: Catalogue.services)
    func doors(service: Catalogue.Service) throws {
        let container = try HandWrittenFile("docker-compose.yml").block(service.name, indentation: 2)
        let believing = try container.matches(of: #"^ +([A-Z_]+): \$\{VIGIL_PROXY_PROTOCOL:-\}$"#)
        // In containers the edge is the door for downloads.
        #expect(believing.sorted() == service.listeners.filter(\.isDoor).map(Self.variable).sorted())
    }

    @Test("deploy/outside-portal.yml gives the balancers to the door that it opens")
    func outsidePortal() throws {
        let listener = try #require(Catalogue.Service.verificationServer.listener(.portal))
        let container = try HandWrittenFile("deploy/outside-portal.yml").block("verification-server", indentation: 2)
        #expect(container.contains("\(Self.variable(listener)): \(Self.setting)"))
    }

    @Test("the README of each service with a door has the setting", arguments: TrustZones.Module.all)
    func readmes(module: TrustZones.Module) throws {
        let services = Catalogue.services.filter { $0.executable == module.executable }
        var doors = services.flatMap(\.listeners).filter(\.isDoor).map(\.name)
        if services.contains(.verificationServer) { doors.append(.portal) }
        // In Kubernetes it is a door.
        if services.contains(.downloadServer) { doors.append(.listen) }
        let readme = try HandWrittenFile("\(module.folder)/README.md")
        let keys = try readme.matches(of: #"^\| (`[a-z.]+\.proxyProtocol`.*?) \|"#)
            .flatMap { $0.split(separator: ", ") }
        #expect(keys.map { String($0) }.sorted() == doors.map { "`\($0.rawValue).proxyProtocol`" }.sorted())
    }

    @Test("HAProxy's example calls the published ports, and says to services for whom, but not to the edge")
    func example() throws {
        let example = try HandWrittenFile("deploy/haproxy/haproxy.cfg")
        let servers = try example.matches(of: "^    server ([a-z]+ [0-9.:]+ .*)$")
            .map { $0.split(separator: " ").map { String($0) } }
        let header = try HandWrittenFile("docker-compose.yml")
        for (backend, setting, isTold) in [
            ("apps", "VIGIL_APPS", true), ("downloads", "VIGIL_DOWNLOADS", false), ("portal", "VIGIL_PORTAL", true),
        ] {
            let server = try #require(servers.first { $0[0] == backend })
            #expect(try header.matches(of: "^#     \(setting) +([0-9.:]+) ") == [server[1]])
            #expect(server.contains("send-proxy-v2") == isTold, "\(backend)")
        }
        #expect(servers.count == 3)
        // Who isn't told who calls must have no limit for each caller.
        let edge = try HandWrittenFile("deploy/edge/nginx.conf")
        #expect(try edge.matches(of: #"^[^#\n]*\b(limit_(?:conn|req)|proxy_protocol|remote_addr)"#).isEmpty)
    }

    @Test("one network may have a fifth of HAProxy's connections, which is more than a service admits")
    func share() throws {
        let example = try HandWrittenFile("deploy/haproxy/haproxy.cfg")
        let most = try #require(try example.matches(of: "^    maxconn ([0-9]+)$").compactMap(Int.init).first)
        let share = try #require(try example.matches(of: "sc0_conn_cur gt ([0-9]+)").compactMap(Int.init).first)
        #expect(share == most / 5)
        for (path, key) in [
            ("Services/MetadataProxy/README.md", "`limits.connections`"),
            ("Services/HealthPortal/README.md", "`listen.connectionsOfPrefix`.*?"),
        ] {
            let limit = try HandWrittenFile(path).matches(of: #"^\| \#(key) \| ([0-9]+) \|"#).compactMap(Int.init)
            #expect(limit.count == 1 && limit.allSatisfy { $0 < share }, "\(path)")
        }
    }

    @Test("the runbook names HAProxy's names, and the gateways of the networks through which it calls")
    func runbook() throws {
        let runbook = try HandWrittenFile("deploy/runbook.md")
        for name in try HandWrittenFile("deploy/haproxy/haproxy.cfg").matches(of: "req.ssl_sni -i ([a-z.]+)") {
            #expect(runbook.contains("`\(name)`"), "the runbook says what to put in place of \(name)")
        }
        let apps = try gateway(of: "ingress-apps", in: "docker-compose.yml")
        let portal = try gateway(of: "ingress-officers", in: "docker-compose.yml")
        let laboratories = try gateway(of: "ingress-labs", in: "docker-compose.yml")
        let signIn = try gateway(of: "egress-sign-in", in: "deploy/identity.yml")
        for words in [
            "VIGIL_PROXY_PROTOCOL=\(apps),\(portal)", "\(apps) is that of apps", "\(portal) the portal's",
            "\(laboratories) the laboratories'", "With `deploy/identity.yml`, also \(signIn) for the portal",
        ] {
            #expect(runbook.contains(words), "the runbook says which addresses containers see: \(words)")
        }
    }

    /// The first address of a network with the default `VIGIL_SUBNET`, which Docker takes for its gateway.
    private func gateway(of network: String, in path: String) throws -> String {
        let pattern = #"^  \#(network): .*subnet: "(\$\{VIGIL_SUBNET:-[0-9.]+\}[0-9.]+\.)0/28""#
        let start = try #require(try HandWrittenFile(path).matches(of: pattern).first, "\(network) in \(path)")
        return start.replacing("${VIGIL_SUBNET:-", with: "").replacing("}", with: "") + "1"
    }

    private static func variable(_ listener: Catalogue.Listener) -> String {
        DeploymentTests.variable("\(listener.name.rawValue).proxyProtocol")
    }
}
