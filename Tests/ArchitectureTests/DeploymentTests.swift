import Catalogue
import Foundation
import HTTPContract
import Schema
import Testing

/// The manifest and the files of `deploy`, which are written by hand, have every line that the catalogue asks for. An issue
/// says what to add, and where.
struct DeploymentTests {
    static let services = Catalogue.services
    static let watched = services.filter { $0.metrics != nil }

    @Test("Package.swift has each executable as a target and as a product", arguments: services)
    func manifest(service: Catalogue.Service) throws {
        let manifest = try HandWrittenFile("Package.swift")
        let name = service.executable
        manifest.expect("executable: \"\(name)\"", for: service.name, because: "its target, by service(…)")
        manifest.expect(
            ".executable(name: \"\(name)\", targets: [\"\(name)\"])", for: service.name, because: "a product")
    }

    @Test(
        "docker-compose.yml gives each container its ports, certificate, role, secrets and addresses",
        arguments: services)
    func containers(service: Catalogue.Service) throws {
        let compose = try HandWrittenFile("docker-compose.yml")
        let container = compose.block(service.name, indentation: 2)
        let name = service.name
        container.expect("target: \(service.executable)", for: name, because: "its image")
        container.expect(
            "command: [\(([service.executable] + service.subcommand).joined(separator: ", "))]", for: name,
            because: "what it runs")
        container.expect("[CMD, \(service.executable), ready]", for: name, because: "its health check")
        container.expect("ADMIN_PORT: \(service.admin.number)", for: name, because: "the admin port")
        for listener in service.listeners {
            container.expect(
                "\(Self.variable("\(listener.name.rawValue).port")): \(listener.port.number)", for: name,
                because: "the listener \(listener.name.rawValue)")
        }
        for listener in service.listeners where listener.isDoor {
            let doors = try container.matches(of: Self.door(at: listener.port.number))
            #expect(doors.count == 1, "docker-compose.yml publishes \(listener.port.number) of \(name) by one setting")
        }
        if service.hasCertificate { expectCertificate(of: service, in: container, compose) }
        if let database = service.database {
            container.expect("user=\(database.role.rawValue)", for: name, because: "its login role")
            let file = Self.passwordFile(of: database.role)
            container.expect("source: \(file), target: pgpass", for: name, because: "its role's password")
            compose.block("migrate", indentation: 2).expect(
                "- \(file)", for: name, because: "the password that the role is given")
            compose.expect("\(file): {", for: name, because: "the secret's file")
        }
        for secret in service.secrets {
            container.expect("- \(secret.file)", for: name, because: "a secret")
            container.expect(
                "\(Self.variable(secret.key)): \(secret.prefix)/run/secrets/\(secret.file)", for: name,
                because: "the secret's place")
            compose.expect("\(secret.file): {", for: name, because: "the secret's file")
        }
        for volume in service.volumes {
            container.expect(
                "\(volume.name.rawValue):/\(volume.name.rawValue)", for: name, because: "a volume")
            container.expect(
                "\(Self.variable(volume.key)): /\(volume.name.rawValue)", for: name, because: "the volume's place")
        }
        let calls = service.calls.filter { !Self.isAdded($0, to: service) }
        for call in calls { expectAddress(of: call, in: container, for: name) }
        let hosts = try container.matches(of: #"(?:https?://|_HOST: )([a-z][a-z-]+)(?::[0-9]+)?$"#)
        #expect(
            Set(hosts) == Set(calls.map(\.service.name)),
            "docker-compose.yml gives \(name) the addresses of those whom it calls, and no other")
    }

    private func expectCertificate(
        of service: Catalogue.Service, in container: HandWrittenFile, _ compose: HandWrittenFile
    ) {
        for (file, target) in [("tls-certificate", "tls.pem"), ("tls-key", "tls.key")] {
            container.expect(
                "{ source: \(service.name)-\(file), target: \(target) }", for: service.name, because: "its certificate")
            compose.expect("\(service.name)-\(file): {", for: service.name, because: "its certificate's file")
        }
        for file in ["- ca.pem", "- denied"] {
            container.expect(file, for: service.name, because: "whom it trusts")
        }
    }

    private func expectAddress(of call: Catalogue.Call, in container: HandWrittenFile, for name: String) {
        guard let callee = call.service.listener(call.listener) else { return }
        let key = Self.variable(call.key)
        let reason = "where \(call.service.name) is"
        switch call.form {
        case .url:
            container.expect(
                "\(key): \(callee.scheme)://\(call.service.name):\(callee.port.number)", for: name, because: reason)
        case .hostAndPort:
            container.expect("\(key)_HOST: \(call.service.name)", for: name, because: reason)
            container.expect("\(key)_PORT: \(callee.port.number)", for: name, because: reason)
        }
    }

    @Test("an outside portal's door is closed until deploy/outside-portal.yml opens it")
    func outsidePortal() throws {
        let listener = try #require(Catalogue.Service.verificationServer.listener(.portal))
        #expect(!listener.isDoor)
        #expect(!listener.callers.isDisjoint(with: Catalogue.outsideRoles))
        let published = Self.door(at: listener.port.number)
        #expect(try HandWrittenFile("docker-compose.yml").matches(of: published).isEmpty)
        #expect(
            try HandWrittenFile("deploy/outside-portal.yml").block("verification-server", indentation: 2)
                .matches(of: published) == ["VIGIL_OUTSIDE_PORTAL"])
    }

    @Test("docker-compose.yml's header has the setting of each published port, with its default")
    func doorSettings() throws {
        let compose = try HandWrittenFile("docker-compose.yml")
        let files = try ["docker-compose.yml", "deploy/outside-portal.yml"].map { try HandWrittenFile($0) }
        let settings = try files.flatMap { try $0.matches(of: Self.door(at: nil)) }
        let listed = try compose.matches(of: #"^#     (VIGIL_[A-Z_]+) +127\.0\.0\.1:[0-9]+ "#)
        #expect(settings.sorted() == listed.sorted())
        for port in Set(Catalogue.services.flatMap(\.listeners).filter(\.isDoor).map(\.port.number)) {
            let setting = try files.flatMap { try $0.matches(of: Self.door(at: port)) }.first
            guard let setting else { continue }
            let ports = try compose.matches(of: "^#     \(setting) +127\\.0\\.0\\.1:([0-9]+) ")
            #expect(ports == [String(port)], "\(setting)")
        }
    }

    @Test("the README counts the networks, published ports and images of docker-compose.yml")
    func counts() throws {
        let compose = try HandWrittenFile("docker-compose.yml")
        let networks = try compose.matches(of: #"^  ([a-z-]+): \{.* ipam: "#)
        let ports = try compose.matches(of: #"(:[0-9]+:[0-9]+"|\}:[0-9]+")"#)
        let images = Set(try compose.matches(of: "^    image: (.+)$"))
        let range = try #require(try compose.matches(of: #"VIGIL_SUBNET:-([0-9.]+)\}"#).first)
        let readme = try HandWrittenFile("README.md")
        for words in [
            "\(networks.count) networks", "\(ports.count) published ports", "\(images.count) images",
            "\(range).0.0/16",
        ] {
            #expect(readme.contains(words), "the README says how many there are: \(words)")
        }
    }

    /// A pattern for a port that is published by a setting of its own, which is its group. nil: any port.
    private static func door(at port: Int?) -> String {
        let number = port.map(String.init) ?? "[0-9]+"
        return #""\$\{(VIGIL_[A-Z_]+):-\$\{VIGIL_ADDRESS:-127\.0\.0\.1\}:\#(number)\}:\#(number)""#
    }

    /// A call at every upload, which would wait for nobody while data-donation doesn't run.
    private static func isAdded(_ call: Catalogue.Call, to service: Catalogue.Service) -> Bool {
        service == .verificationServer && call.service == .dataDonation
    }

    @Test("data-donation is optional, and verification-server calls it only with deploy/self-reports.yml")
    func selfReports() throws {
        let compose = try HandWrittenFile("docker-compose.yml")
        for service in [Catalogue.Service.dataDonation, .donationFold] {
            compose.block(service.name, indentation: 2).expect(
                "profiles: [data-donation]", for: service.name, because: "it starts only if asked for")
        }
        let service = Catalogue.Service.verificationServer
        let added = service.calls.filter { Self.isAdded($0, to: service) }
        #expect(added.count == 1)
        let file = try HandWrittenFile("deploy/self-reports.yml")
        for call in added {
            expectAddress(of: call, in: file.block(service.name, indentation: 2), for: service.name)
            for name in [service.name, call.service.name] {
                file.block(name, indentation: 2).expect(
                    "networks: [verification-donation]", for: name, because: "a network per arrow")
            }
        }
        file.expect("verification-donation: { internal: true,", for: service.name, because: "it has no way out")
        let members = try compose.matches(of: #"networks: \[(.*verification-donation.*)\]"#)
        #expect(members.isEmpty)
    }

    @Test("deploy/identity.yml replaces every address of the simulated identity provider")
    func identity() throws {
        let file = try HandWrittenFile("deploy/identity.yml")
        for call in Catalogue.services.flatMap(\.calls) where call.service == .developmentIdentity {
            file.expect(
                "\(Self.variable(call.key)): ${VIGIL_OFFICERS_ISSUER:?set it", for: "health-portal",
                because: "where the authority's provider is")
        }
        let portal = try #require(Catalogue.Service.healthPortal.listener(.provider))
        file.block("health-portal", indentation: 2).expect(
            "${VIGIL_PROVIDER_ADDRESS:-127.0.0.1}:\(portal.port.number):\(portal.port.number)", for: "health-portal",
            because: "the provider's back-channel log-out")
    }

    @Test("federation is optional, and deploy/gateway.yml replaces every address of the simulated gateway")
    func gateway() throws {
        let compose = try HandWrittenFile("docker-compose.yml")
        for name in ["federation", "development-gateway"] {
            compose.block(name, indentation: 2).expect(
                "profiles: [\(name)]", for: name, because: "it starts only if asked for")
        }
        let file = try HandWrittenFile("deploy/gateway.yml")
        for call in Catalogue.services.flatMap(\.calls) where call.service == .developmentGateway {
            file.expect(
                "\(Self.variable(call.key)): ${VIGIL_GATEWAY_URL:?set it", for: "federation",
                because: "where the real gateway is")
        }
    }

    @Test("one variable sets the lowest published risk level of distribution, the fold and federation")
    func lowestRiskLevel() throws {
        let compose = try HandWrittenFile("docker-compose.yml")
        for name in ["distribution", "fold", "federation"] {
            compose.block(name, indentation: 2).expect(
                "LOWEST_RISK_LEVEL: ${VIGIL_LOWEST_RISK_LEVEL:-3}", for: name, because: "the others must have the same")
        }
    }

    @Test("deploy/secrets/prepare.sh hands out each service's certificate, password and secrets", arguments: services)
    func secrets(service: Catalogue.Service) throws {
        let script = try HandWrittenFile("deploy/secrets/prepare.sh")
        let lists = try script.matches(of: #"^for name in ((?:[a-z0-9. -]|\\\n)+); do"#)
            .map { $0.split { $0.isWhitespace || $0 == "\\" }.map { String($0) } }
        func expect(_ name: String, beside known: String) {
            guard let list = lists.first(where: { $0.contains(known) }), !list.contains(name) else { return }
            Issue.record(
                "\(service.name) is in the catalogue: add `\(name)` to the list with `\(known)` in \(script.path).")
        }
        #expect(lists.contains { $0.contains("public") } && lists.contains { $0.contains("pgpass-owner") })
        if service.hasCertificate { expect(service.name, beside: "public") }
        for secret in service.secrets { expect(secret.file, beside: "pgpass-owner") }
        if let role = service.database?.role { expect(Self.passwordFile(of: role), beside: "pgpass-owner") }
    }

    @Test("deploy/postgres/pg_hba.conf lets each service's role log in", arguments: services)
    func logins(service: Catalogue.Service) throws {
        guard let role = service.database?.role else { return }
        try HandWrittenFile("deploy/postgres/pg_hba.conf").expect(
            "hostssl vigil \(role.rawValue) all scram-sha-256", for: service.name, because: "its login role")
    }

    @Test("Prometheus scrapes each service, and an alert fires when one is gone", arguments: watched)
    func monitoring(service: Catalogue.Service) throws {
        let port = service.metrics?.number ?? 0
        let prometheus = try HandWrittenFile("deploy/prometheus/prometheus.yml")
        prometheus.expect(
            "{ names: [\(service.name)], type: A, port: \(port),", for: service.name,
            because: "the address of its metrics")
        prometheus.expect("server_name: \(service.name)", for: service.name, because: "whose certificate it must show")
        try HandWrittenFile("docker-compose.yml").block(service.name, indentation: 2).expect(
            "METRICS_PORT: \(port)", for: service.name, because: "the listener for Prometheus")
        try HandWrittenFile("deploy/prometheus/alerts.yml").expect(
            "absent(up{job=\"vigil\",service=\"\(service.name)\"})", for: service.name,
            because: "the alert ServiceGone")
    }

    @Test("the files name no service that isn't in the catalogue")
    func strangers() throws {
        let targets = try HandWrittenFile("docker-compose.yml").matches(of: #"build: \{.*target: ([a-z-]+) \}"#)
        #expect(Set(targets) == Set(Self.services.map(\.executable) + ["vigil", "vigil-dev"]))
        let scraped = try HandWrittenFile("deploy/prometheus/prometheus.yml").matches(of: #"\{ names: \[([a-z-]+)\]"#)
        #expect(Set(scraped) == Set(Self.watched.map(\.name)))
        let roles = try HandWrittenFile("deploy/postgres/pg_hba.conf").matches(of: #"^hostssl\s+vigil\s+(\w+)"#)
        #expect(Set(roles) == Set(DatabaseRole.allCases.map(\.rawValue) + [DatabaseRole.owner]))
    }

    /// The environment variable of a configuration key.
    static func variable(_ key: String) -> String {
        var name = ""
        for (previous, character) in zip(" " + key, key) {
            if character == "." {
                name += "_"
            } else {
                name += (previous.isLowercase && character.isUppercase ? "_" : "") + character.uppercased()
            }
        }
        return name
    }

    /// The file with a role's password, as a state folder calls it.
    private static func passwordFile(of role: DatabaseRole) -> String {
        "pgpass-" + role.rawValue.dropFirst("vigil_".count).replacing("_", with: "-")
    }
}
