import Catalogue
import DevelopmentSuite
import Foundation
import Running
import Schema
import TestSupport
import Testing
import Vigil

@Suite("The plan of a suite on one machine")
struct SuitePlanTests {
    private static func plan(
        firstPort: Int = 8000, clock: SuiteClock = .ahead(seconds: 0), only: Set<String>? = nil,
        changes: [SettingChange] = []
    ) throws -> SuitePlan {
        try SuitePlan(
            folder: StateFolder("/state"), firstPort: firstPort, clock: clock, only: only, changes: changes
        ) { role in
            "host=/state/postgres/socket user=\(role.rawValue)"
        }
    }

    @Test("--set wins over what the plan says, for the one service that it names")
    func changes() throws {
        let changes = [
            "metadata-proxy.answers.deadline=50", "metadata-proxy.admin.port=7", "distribution.run.minute=x=y",
        ]
        let services = try Self.plan(changes: changes.compactMap(SettingChange.init(argument:))).services
        let proxy = try #require(services.first { $0.name == "metadata-proxy" })
        #expect(proxy.settings["answers.deadline"] == .number(50))
        #expect(proxy.settings["admin.port"] == .number(7))
        let distribution = try #require(services.first { $0.name == "distribution" })
        #expect(distribution.settings["run.minute"] == .text("x=y"))
        #expect(distribution.settings["admin.port"] == .number(8048))
    }

    @Test("--set names a service of the suite, a key and a value", arguments: ["", "=", "a=1", ".a=1", "a.=1", "a.b"])
    func malformedChange(text: String) {
        #expect(SettingChange(argument: text) == nil)
    }

    @Test("--set of a service that there is not is refused")
    func strangeChange() throws {
        let change = try #require(SettingChange(argument: "nobody.a=1"))
        #expect(throws: CommandFailure.self) { try Self.plan(changes: [change]) }
    }

    @Test("services listen where phones, laboratories, officers and documents expect them")
    func ports() throws {
        let table = try Self.plan().services.flatMap { service in
            service.ports(first: 8000).map { "\($0.number) \(service.name) \($0.key)" }
        }
        #expect(
            Set(table).isSuperset(of: [
                "8000 metadata-proxy listen.port",
                "8009 metadata-proxy admin.port",
                "8011 verification-server portal.port",
                "8020 test-result-server laboratories.port",
                "8040 download-server listen.port",
                "8063 development-apns control.port",
                "8070 health-portal listen.port",
                "8080 development-identity listen.port",
            ]))
    }

    @Test("the verification server's configuration file is as its README lists the keys")
    func configurationFile() throws {
        let service = try #require(try Self.plan().services.first { $0.name == "verification-server" })
        #expect(
            try SettingsFile(service.settings).text == """
                {
                  "admin" : {
                    "port" : 8019
                  },
                  "app" : {
                    "port" : 8010
                  },
                  "donation" : {
                    "url" : "https://127.0.0.1:8111"
                  },
                  "internal" : {
                    "port" : 8012
                  },
                  "officers" : {
                    "audience" : "verification-server",
                    "issuer" : "https://localhost:8080",
                    "keys" : "/state/config/officers.jwks.json"
                  },
                  "portal" : {
                    "port" : 8011
                  },
                  "postgres" : {
                    "connection" : "host=/state/postgres/socket user=vigil_verification"
                  },
                  "secrets" : {
                    "tanKey" : "/state/secrets/tan-key",
                    "teleTANKey" : "/state/secrets/tele-tan-key"
                  },
                  "statistics" : {
                    "timeZone" : "Europe/Berlin"
                  },
                  "testResults" : {
                    "url" : "https://127.0.0.1:8021"
                  },
                  "tls" : {
                    "authorities" : "/state/certificates/ca.pem",
                    "certificate" : "/state/certificates/verification-server.pem",
                    "denied" : "/state/certificates/denied",
                    "key" : "/state/certificates/verification-server.key"
                  }
                }

                """)
    }

    @Test("portal and identity provider know each other, and are two sites to a browser")
    func portal() throws {
        let services = try Self.plan(firstPort: 18_000).services
        let portal = try #require(services.first { $0.name == "health-portal" }).settings
        let provider = try #require(services.first { $0.name == "development-identity" }).settings
        let verification = try #require(services.first { $0.name == "verification-server" }).settings
        #expect(provider["issuer"] == .text("https://localhost:18080"))
        #expect(portal["provider.issuer"] == provider["issuer"])
        #expect(verification["officers.issuer"] == provider["issuer"])
        #expect(portal["origins"] == .text("https://127.0.0.1:18070"))
        #expect(provider["client.health-portal.redirectURIs"] == .text("https://127.0.0.1:18070/callback"))
        #expect(provider["client.health-portal.logoutRedirectURIs"] == .text("https://127.0.0.1:18070/"))
        #expect(
            provider["client.health-portal.backChannelLogoutURI"]
                == .text("https://127.0.0.1:18071/backchannel-logout"))
        #expect(portal["provider.clientKey"] == .text("/state/secrets/portal-client.key"))
        #expect(provider["client.health-portal.publicKey"] == .text("/state/config/portal-client-public.pem"))
    }

    @Test("only services with tables of their own are given the database")
    func databases() throws {
        let connected = try Self.plan().services.filter { $0.settings["postgres.connection"] != nil }.map(\.name)
        #expect(connected == Catalogue.services.filter { $0.database != nil }.map(\.name))
    }

    @Test(
        "no configuration file holds a secret: all are named by path",
        arguments: ["tan-key", "push-token-key", "apns-key", "pgpass"])
    func holdsNoSecret(of kind: String) throws {
        for service in try Self.plan().services {
            for case (let key, .text(let value)) in service.settings where value.contains(kind) {
                #expect(value.hasPrefix("/state/") || key == "postgres.connection", "\(service.name) \(key)")
            }
        }
    }

    @Test("another first port moves every port and every address")
    func otherPorts() throws {
        for service in try Self.plan(firstPort: 18_000).services {
            let file = try SettingsFile(service.settings).text
            #expect(!file.contains(/:8[01]/) && file.contains(/18[01]/), "\(service.name)")
        }
    }

    @Test("ports that don't exist are refused", arguments: [0, -1, 65_467])
    func impossiblePorts(first: Int) {
        #expect(throws: CommandFailure.self) { try Self.plan(firstPort: first) }
    }

    @Test("--only starts the services that it names, in the order of the catalogue, with the settings they always have")
    func only() throws {
        let names: Set = ["metadata-proxy", "verification-server", "test-result-server"]
        let part = try Self.plan(only: names).services
        #expect(part.map(\.name) == Catalogue.services.map(\.name).filter(names.contains))
        let whole = try Self.plan().services.filter { names.contains($0.name) }
        #expect(part.map(\.settings) == whole.map(\.settings))
    }

    @Test("--only names services of the suite, and --set one of those that start")
    func unknownNames() throws {
        let stranger = #expect(throws: CommandFailure.self) { try Self.plan(only: ["metadata-proxy", "proxy"]) }
        #expect(stranger?.description.hasPrefix("--only: no service is called proxy; there are ") == true)
        let change = try #require(SettingChange(argument: "further.a=1"))
        #expect(throws: CommandFailure.self) { try Self.plan(only: ["metadata-proxy"], changes: [change]) }
    }

    @Test("the commands that talk to a suite know which services run")
    func running() async throws {
        try await withScratchFolder { scratch in
            let folder = StateFolder(scratch)
            try folder.prepare()
            try SuitePlan(folder: folder, only: ["fold", "distribution"]) { _ in "" }.write()
            let running = try RunningSuite(in: folder)
            #expect(Catalogue.services.filter(running.runs).map(\.name).sorted() == ["distribution", "fold"])
        }
    }

    @Test("a moved clock is told to every service, and to the commands that talk to them")
    func movedClock() async throws {
        try await withScratchFolder { scratch in
            let folder = StateFolder(scratch)
            try folder.prepare()
            let plan = try SuitePlan(folder: folder, firstPort: 9000, clock: .ahead(seconds: -3600)) { _ in "" }
            #expect(plan.services.allSatisfy { $0.settings["clock.offset"] == .number(-3600) })
            try plan.write()
            let running = try RunningSuite(in: folder)
            #expect(running.clock == .ahead(seconds: -3600))
            #expect(try running.url(of: .metadataProxy, .listen) == "https://127.0.0.1:9000")
            #expect(try running.url(of: .downloadServer, .listen) == "https://127.0.0.1:9040")
        }
    }

    @Test("all services and commands of a suite with a shared clock read the file that its driver moves")
    func sharedClock() async throws {
        try await withScratchFolder { scratch in
            let folder = StateFolder(scratch)
            try folder.prepare()
            let plan = try SuitePlan(folder: folder, clock: .shared) { _ in "" }
            #expect(plan.services.allSatisfy { $0.settings["clock.file"] == .text("\(scratch)/clock") })
            #expect(plan.services.allSatisfy { $0.settings["clock.offset"] == nil })
            try plan.write()
            try SharedClock(moving: SuiteClock.path(in: folder)).move(by: 7200)
            #expect(try RunningSuite(in: folder).clock.clock(in: folder).movedBy == 7200)
        }
    }

    @Test("a folder without a suite is refused with what to do")
    func noSuite() async throws {
        try await withScratchFolder { scratch in
            let refusal = #expect(throws: CommandFailure.self) { try RunningSuite(in: StateFolder(scratch)) }
            #expect(refusal?.description.contains("run `vigil-dev up` first") == true)
        }
    }

    @Test("a port that is taken is named with its service and key, before anything starts")
    func takenPort() throws {
        let occupant = try Occupant()
        // The first that is looked at: others of the range may be taken, too, by tests that run meanwhile.
        let plan = try Self.plan(firstPort: occupant.port - 20)
        let refusal = #expect(throws: CommandFailure.self) { try plan.requireFreePorts() }
        #expect(
            refusal?.description.hasPrefix(
                "Port \(occupant.port) on 127.0.0.1, which test-result-server needs (laboratories.port), is taken")
                == true)
        withExtendedLifetime(occupant) {}
    }
}
