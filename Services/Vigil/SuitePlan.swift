import Foundation
package import Schema

/// All processes of a suite on one machine, in the order in which they start.
package struct SuitePlan: Sendable {
    /// Where the suite keeps everything.
    package let folder: StateFolder
    /// The proxy's port; all others follow from it (``SuitePort``).
    package let firstPort: Int
    /// By how many seconds the services' clocks are ahead of the machine's.
    package let clockOffset: Int
    private let changes: [SettingChange]
    private let connection: @Sendable (DatabaseRole) -> String

    /// - Parameters:
    ///   - changes: win over what the plan says itself; each must be of a service of the plan.
    ///   - connection: the libpq connection string of a role; no password is in it.
    package init(
        folder: StateFolder, firstPort: Int = SuitePort.defaultFirst, clockOffset: Int = 0,
        changes: [SettingChange] = [], connection: @escaping @Sendable (DatabaseRole) -> String
    ) throws {
        guard firstPort > 0, SuitePort.allCases.allSatisfy({ $0.number(first: firstPort) <= 65_535 }) else {
            let last = SuitePort.allCases.map(\.rawValue).max() ?? 0
            throw CommandFailure("--first-port must be from 1 to \(65_535 - last).")
        }
        self.folder = folder
        self.firstPort = firstPort
        self.clockOffset = clockOffset
        self.changes = changes
        self.connection = connection
        let names = services.map(\.name)
        if let stranger = changes.first(where: { !names.contains($0.service) }) {
            throw CommandFailure(
                "--set: no service is called \(stranger.service); there are \(names.joined(separator: ", ")).")
        }
    }

    /// Callers come after what they call.
    package var services: [ServicePlan] {
        [
            testResultServer, verificationServer, submissionServer, developmentAPNs, pushDispatcher, distribution,
            downloadServer, metadataProxy,
        ]
    }

    /// Where something listens.
    package func url(_ port: SuitePort) -> String { port.url(first: firstPort) }

    /// Refuses to start anything while somebody else listens on one of the ports.
    package func requireFreePorts() throws {
        for service in services {
            for port in service.ports where SuitePort.isTaken(port.number(first: firstPort)) {
                throw CommandFailure(
                    "Port \(port.number(first: firstPort)) on \(SuitePort.host), which \(service.name) needs "
                        + "(\(port.key)), is taken: stop what listens there, or give the suite other ports with "
                        + "--first-port.")
            }
        }
    }

    // MARK: The services

    private var testResultServer: ServicePlan {
        plan("test-result-server", ports: [.laboratories, .testResults], admin: .testResultsAdmin, role: .testResults)
    }

    private var verificationServer: ServicePlan {
        plan(
            "verification-server", ports: [.verificationApp, .verificationPortal, .verificationInternal],
            admin: .verificationAdmin, role: .verification,
            settings: [
                "testResults.url": .text(url(.testResults)),
                "secrets.tanKey": .text(folder.secret(SuiteSecrets.tanKey)),
                "secrets.teleTANKey": .text(folder.secret(SuiteSecrets.teleTANKey)),
                "officers.keys": .text(SuiteSecrets.officerKeysFile(in: folder)),
                "officers.issuer": .text(OfficerIssuer.issuer),
                "officers.audience": .text(OfficerIssuer.audience),
            ])
    }

    private var submissionServer: ServicePlan {
        plan(
            "submission-server", ["serve"], ports: [.submission], admin: .submissionAdmin, role: .submission,
            settings: [
                "verification.url": .text(url(.verificationInternal)),
                "secrets.tagKey": .text(folder.secret(SuiteSecrets.tagKey)),
                "hourKeys.directory": .text(folder.hourKeys),
            ])
    }

    private var developmentAPNs: ServicePlan {
        plan(
            "development-apns", ["serve"], ports: [.apnsProduction, .apnsSandbox, .apnsControl], admin: .apnsAdmin,
            role: nil,
            settings: [
                "topic": .text(SimulatedAccount.topic),
                "teamID": .text(SimulatedAccount.team),
                "keyID": .text(SimulatedAccount.keyID),
                "publicKey": .text(SuiteSecrets.apnsPublicKeyFile(in: folder)),
            ])
    }

    /// Its waves wait for nobody: the phones that it wakes here don't mind.
    private var pushDispatcher: ServicePlan {
        plan(
            "push-dispatcher", ["serve"], ports: [.push], admin: .pushAdmin, role: .pushDispatcher,
            settings: [
                "secrets.tokenKey": .text(folder.secret(SuiteSecrets.tokenKey)),
                "waves.pause": .number(0),
                "waves.spread": .number(0),
                "apns.topic": .text(SimulatedAccount.topic),
                "apns.teamID": .text(SimulatedAccount.team),
                "apns.keyID": .text(SimulatedAccount.keyID),
                "apns.key": .text(folder.secret(SuiteSecrets.apnsKey)),
                "apns.authorities": .text(folder.certificate(SuiteCertificates.authority)),
                "apns.production.host": .text("localhost"),
                "apns.production.port": .number(SuitePort.apnsProduction.number(first: firstPort)),
                "apns.sandbox.host": .text("localhost"),
                "apns.sandbox.port": .number(SuitePort.apnsSandbox.number(first: firstPort)),
            ])
    }

    private var distribution: ServicePlan {
        plan(
            "distribution", ["run"], ports: [], admin: .distributionAdmin, role: .distribution,
            settings: [
                "push.url": .text(url(.push)),
                "directory": .text(folder.published),
                "signing.keys": .text("262/v1=\(folder.secret(SuiteSecrets.signingKey))"),
                "signing.bundleID": .text("de.rki.coronawarnapp-dev"),
                "run.minute": .number(5),
            ])
    }

    private var downloadServer: ServicePlan {
        plan(
            "download-server", ports: [.downloads], admin: .downloadsAdmin, role: nil, hasTLS: false,
            settings: ["directory": .text(folder.published)])
    }

    private var metadataProxy: ServicePlan {
        plan(
            "metadata-proxy", ports: [.proxy], admin: .proxyAdmin, role: nil,
            settings: [
                "public.certificate": .text(folder.certificate("public")),
                "public.key": .text(folder.certificateKey("public")),
                "verification.url": .text(url(.verificationApp)),
                "submission.url": .text(url(.submission)),
                "push.url": .text(url(.push)),
            ])
    }

    // MARK: What all have

    private func plan(
        _ name: String, executable: String? = nil, _ subcommand: [String] = [], ports: [SuitePort], admin: SuitePort,
        role: DatabaseRole?, hasTLS: Bool = true, settings own: [String: SettingValue] = [:]
    ) -> ServicePlan {
        var settings = own
        for port in ports + [admin] {
            settings[port.key] = .number(port.number(first: firstPort))
        }
        if hasTLS {
            settings["tls.certificate"] = .text(folder.certificate(name))
            settings["tls.key"] = .text(folder.certificateKey(name))
            settings["tls.authorities"] = .text(folder.certificate(SuiteCertificates.authority))
            settings["tls.denied"] = .text(folder.deniedCertificates)
        }
        if let role { settings["postgres.connection"] = .text(connection(role)) }
        if clockOffset != 0 { settings["clock.offset"] = .number(clockOffset) }
        for change in changes where change.service == name { settings[change.key] = change.value }
        return ServicePlan(
            name: name, executable: executable ?? name, subcommand: subcommand, ports: ports + [admin], admin: admin,
            settings: settings)
    }

    // MARK: On disk

    /// Writes each service's configuration file, and what the other commands need to know about this suite.
    package func write() throws {
        for service in services {
            try folder.write(try service.configurationFile, to: folder.configuration(service.name))
        }
        let settings = ServicePlan(
            name: "suite", executable: "vigil", subcommand: [], ports: [], admin: .proxyAdmin,
            settings: ["firstPort": .number(firstPort), "clockOffset": .number(clockOffset)])
        try folder.write(try settings.configurationFile, to: folder.configuration("suite"))
    }
}

/// What `vigil up` last wrote about the suite of a state folder, for the commands that talk to it.
package struct RunningSuite: Decodable, Sendable {
    private let firstPort: Int
    /// By how many seconds the services' clocks are ahead of the machine's.
    package let clockOffset: Int

    /// Reads the state folder.
    package init(in folder: StateFolder) throws {
        guard let text = try folder.read(folder.configuration("suite")) else {
            throw CommandFailure(
                "\(folder.path) holds no suite: run `vigil up` first, or name another folder with --state.")
        }
        do {
            self = try JSONDecoder().decode(RunningSuite.self, from: Data(text.utf8))
        } catch {
            throw CommandFailure("\(folder.configuration("suite")) is damaged: run `vigil up` again.")
        }
    }

    /// Where something listens.
    package func url(_ port: SuitePort) -> String { port.url(first: firstPort) }
}
