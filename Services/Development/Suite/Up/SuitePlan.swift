package import Catalogue
import HTTPContract
package import Schema
package import Vigil

/// All processes of a suite on one machine, in the order in which they start.
package struct SuitePlan: Sendable {
    /// The folder of all the suite's files.
    package let folder: StateFolder
    /// The proxy's port; the other ports are offsets from it.
    package let firstPort: Int
    /// What time it is for the services.
    package let clock: SuiteClock
    /// Where they are.
    package let country: SuiteCountry
    /// The services to start; nil for all of the catalogue.
    private let only: Set<String>?
    private let changes: [SettingChange]
    private let connection: @Sendable (DatabaseRole) -> String

    /// - Parameters:
    ///   - only: the names of the services to start; nil for all. A service whose callee is left out finds nobody there.
    ///   - changes: override the plan's own settings; each must be of a service of the plan.
    ///   - connection: the libpq connection string of a role; no password is in it.
    package init(
        folder: StateFolder, firstPort: Int = Catalogue.Port.defaultFirst, clock: SuiteClock = .ahead(seconds: 0),
        country: SuiteCountry = .standard, only: Set<String>? = nil, changes: [SettingChange] = [],
        connection: @escaping @Sendable (DatabaseRole) -> String
    ) throws {
        self.folder = folder
        self.firstPort = firstPort
        self.clock = clock
        self.country = country
        self.only = only
        self.changes = changes
        self.connection = connection
        let known = Catalogue.services.map(\.name)
        if let stranger = only?.sorted().first(where: { !known.contains($0) }) {
            throw CommandFailure(
                "--only: no service is called \(stranger); there are \(known.joined(separator: ", ")).")
        }
        let last = services.flatMap { $0.ports(first: 0).map(\.number) }.max() ?? 0
        guard firstPort > 0, firstPort + last <= 65_535 else {
            throw CommandFailure("--first-port must be from 1 to \(65_535 - last).")
        }
        let names = services.map(\.name)
        if let stranger = changes.first(where: { !names.contains($0.service) }) {
            throw CommandFailure(
                "--set: no service is called \(stranger.service); there are \(names.joined(separator: ", ")).")
        }
    }

    /// Callees come before their callers.
    package var services: [ServicePlan] {
        Catalogue.services.filter(starts)
            .map { ServicePlan(service: $0, settings: settings(of: $0)) }
    }

    /// Whether a service is among those to start.
    package func starts(_ service: Catalogue.Service) -> Bool { only?.contains(service.name) ?? true }

    /// Refuses to start anything while another process listens on one of the ports.
    package func requireFreePorts() throws {
        for service in services {
            for port in service.ports(first: firstPort) where port.isTaken {
                throw CommandFailure(
                    "Port \(port.number) on \(LocalPort.host), which \(service.name) needs (\(port.key)), is taken: stop "
                        + "what listens there, or give the suite other ports with --first-port.")
            }
        }
    }

    // MARK: Settings

    private func settings(of service: Catalogue.Service) -> [String: SettingValue] {
        var settings: [String: SettingValue] = [:]
        for port in ServicePlan(service: service, settings: [:]).ports(first: firstPort) {
            settings[port.key] = .number(port.number)
        }
        if service.hasCertificate {
            settings["tls.certificate"] = .text(folder.certificate(service.name))
            settings["tls.key"] = .text(folder.certificateKey(service.name))
            settings["tls.authorities"] = .text(folder.certificate(SuiteCertificates.authority))
            settings["tls.denied"] = .text(folder.deniedCertificates)
        }
        if service.hasPublicCertificate {
            settings["public.certificate"] = .text(folder.certificate(SuiteCertificates.publicHolder))
            settings["public.key"] = .text(folder.certificateKey(SuiteCertificates.publicHolder))
        }
        if let database = service.database { settings["postgres.connection"] = .text(connection(database.role)) }
        for secret in service.secrets { settings[secret.key] = .text(secret.prefix + folder.secret(secret.file)) }
        for volume in service.volumes { settings[volume.key] = .text(folder.volume(volume.name)) }
        for call in service.calls {
            guard let callee = call.service.listener(call.listener) else { continue }
            let port = callee.port.number(first: firstPort)
            switch call.form {
            case .url: settings[call.key] = .text("\(callee.scheme)://\(LocalPort.host):\(port)")
            case .hostAndPort:
                settings["\(call.key).host"] = .text("localhost")
                settings["\(call.key).port"] = .number(port)
            }
        }
        settings.merge(countrySettings(of: service)) { $1 }
        settings.merge(developmentSettings(of: service)) { $1 }
        if let setting = clock.setting(in: folder) { settings[setting.key] = setting.value }
        for change in changes where change.service == service.name { settings[change.key] = change.value }
        return settings
    }

    /// What the country decides. A service that lacks its line refuses to start in another country than the standard.
    private func countrySettings(of service: Catalogue.Service) -> [String: SettingValue] {
        let origin = [CountryFact.origin.rawValue: SettingValue.text(country.origin)]
        let timeZone = [CountryFact.timeZone.rawValue: SettingValue.text(country.timeZone)]
        let neighbours = SettingValue.text(country.neighbours.joined(separator: ","))
        return switch service {
        case .submissionServer: origin
        case .testResultServer, .verificationServer, .pushDispatcher, .donationFold, .healthPortal: timeZone
        case .distribution: origin.merging(timeZone) { $1 }
        case .federation:
            origin.merging(timeZone) { $1 }.merging(["upload.countries": neighbours, "download.countries": neighbours])
            { $1 }
        case .developmentGateway: ["home.country": .text(country.origin), "countries": neighbours]
        default: [:]
        }
    }

    /// Settings for development only: the simulated peers' names, and waves without a spread.
    private func developmentSettings(of service: Catalogue.Service) -> [String: SettingValue] {
        switch service {
        case .verificationServer:
            [
                "officers.keys": .text(SuiteSecrets.officerKeysFile(in: folder)),
                "officers.issuer": .text(issuer),
                "officers.audience": .text(OfficerIssuer.audience),
            ]
        case .healthPortal:
            [
                "origins": .text(portalOrigin),
                "provider.issuer": .text(issuer),
                "provider.authorities": .text(folder.certificate(SuiteCertificates.authority)),
                "portal.authority": .text("Gesundheitsamt Beispielstadt"),
                "portal.contact": .text("mailto:portal@example.org"),
                "portal.notice": .text("Entwicklung / Development"),
                "authorities": .text(authorities),
            ]
        case .developmentIdentity:
            [
                "issuer": .text(issuer),
                "signing.key": .text(folder.secret(SuiteSecrets.officerIssuerKey)),
                "signing.keySet": .text(SuiteSecrets.officerKeysFile(in: folder)),
                "clients": .text("health-portal"),
                "client.health-portal.publicKey": .text(SuiteSecrets.portalClientPublicKeyFile(in: folder)),
                "client.health-portal.redirectURIs": .text("\(portalOrigin)/callback"),
                "client.health-portal.logoutRedirectURIs": .text("\(portalOrigin)/"),
                "client.health-portal.backChannelLogoutURI": .text("\(portalProvider)/backchannel-logout"),
            ]
        case .developmentAPNs:
            [
                "topic": .text(SimulatedAccount.topic),
                "teamID": .text(SimulatedAccount.team),
                "keyID": .text(SimulatedAccount.keyID),
                "publicKey": .text(SuiteSecrets.apnsPublicKeyFile(in: folder)),
            ]
        case .pushDispatcher:
            [
                "waves.pause": .number(0),
                "waves.spread": .number(0),
                "apns.topic": .text(SimulatedAccount.topic),
                "apns.teamID": .text(SimulatedAccount.team),
                "apns.keyID": .text(SimulatedAccount.keyID),
                "apns.authorities": .text(folder.certificate(SuiteCertificates.authority)),
            ]
        case .dataDonation:
            [
                "appAttest.apps": .text("\(SimulatedAccount.team).\(SimulatedAccount.topic)"),
                "appAttest.roots": .text(folder.certificate(EvidenceCertificate.name)),
                "deviceCheck.teamID": .text(SimulatedAccount.team),
                "deviceCheck.keyID": .text(SimulatedAccount.keyID),
                "deviceCheck.authorities": .text(folder.certificate(SuiteCertificates.authority)),
                "playIntegrity.verificationKey": .text(SuiteSecrets.playIntegrityVerificationKeyFile(in: folder)),
                "android.packages": .text(SimulatedAccount.topic),
                "android.certificates": .text(SimulatedAccount.androidSigner),
            ]
        case .developmentAttestation:
            [
                "deviceCheck.teamID": .text(SimulatedAccount.team),
                "deviceCheck.keyID": .text(SimulatedAccount.keyID),
                "deviceCheck.publicKey": .text(SuiteSecrets.deviceCheckPublicKeyFile(in: folder)),
                "playIntegrity.decryptionKey": .text(folder.secret(SuiteSecrets.playIntegrityDecryptionKey)),
                "root.certificate": .text(folder.certificate(EvidenceCertificate.name)),
            ]
        case .developmentGateway:
            [
                "journal": .text("\(folder.path)/gateway-journal"),
                "anchor.certificate": .text(folder.certificate(FederationCertificates.anchor)),
                "home.gatewayCertificate": .text(folder.certificate(FederationCertificates.gateway)),
                "home.signingCertificate": .text(folder.certificate(FederationCertificates.signing)),
                "clients.authorities": .text(folder.certificate(FederationCertificates.gateway)),
                "callback.certificate": .text(folder.certificate(Role.gateway.rawValue)),
                "callback.key": .text(folder.certificateKey(Role.gateway.rawValue)),
                "callback.authorities": .text(folder.certificate(SuiteCertificates.authority)),
            ]
        case .federation:
            [
                "gateway.certificate": .text(folder.certificate(FederationCertificates.gateway)),
                "gateway.authorities": .text(folder.certificate(SuiteCertificates.authority)),
                "gateway.trustAnchor": .text(folder.certificate(FederationCertificates.anchor)),
                "signing.certificate": .text(folder.certificate(FederationCertificates.signing)),
                "callback.certificate": .text(folder.certificate(service.name)),
                "callback.key": .text(folder.certificateKey(service.name)),
                "callback.authorities": .text(folder.certificate(SuiteCertificates.authority)),
                "callback.denied": .text(folder.deniedCertificates),
                "gateway.denied": .text(folder.deniedCertificates),
                "callback.gateway": .text(folder.certificate(Role.gateway.rawValue)),
                "callback.url": .text(Self.url(of: .federation, .callback, firstPort) + "/version/v1/callback"),
            ]
        // Keys for other countries are a stream of their own.
        case .fold: ["fold.smallestFederatedSet": .number(140)]
        case .distribution:
            [
                "signing.bundleID": .text("de.rki.coronawarnapp-dev"),
                "run.minute": .number(5),
            ]
        default: [:]
        }
    }

    // MARK: On disk

    /// Where anybody can connect: service and listener.
    private var publicListeners: [String] {
        Catalogue.services.filter(starts).flatMap { service in
            service.listeners.filter { $0.security == .publicTLS }.map { "\(service.name).\($0.name.rawValue)" }
        }
    }

    /// The list of health authorities that officers choose from for events.
    private var authorities: String { "\(folder.path)/authorities.json" }

    private static let inventedAuthorities = """
        [
          {"number": "1.01.0.01.", "name": "Gesundheitsamt Beispielstadt"},
          {"number": "1.01.0.02.", "name": "Gesundheitsamt Musterkreis"}
        ]

        """

    /// Writes each service's configuration file, the list of health authorities, and what the other commands need to know about
    /// this suite.
    package func write() throws {
        for service in services {
            try folder.write(try SettingsFile(service.settings).text, to: folder.configuration(service.name))
        }
        try folder.write(Self.inventedAuthorities, to: authorities)
        var own: [String: SettingValue] = [
            "firstPort": .number(firstPort), "origin": .text(country.origin), "timeZone": .text(country.timeZone),
            "services": .text(services.map(\.name).joined(separator: ",")),
            // For checks of what strangers can do.
            "publicListeners": .text(publicListeners.joined(separator: ",")),
        ]
        if case .ahead(let seconds) = clock { own["clockOffset"] = .number(seconds) }
        try folder.write(try SettingsFile(own).text, to: folder.configuration("suite"))
    }
}

extension SuitePlan {
    /// The identity provider's name in tokens, and its base URL.
    package var issuer: String { Catalogue.issuer(firstPort: firstPort) }

    /// The portal as browsers reach it.
    package var portalOrigin: String { Self.url(of: .healthPortal, .listen, firstPort) }
    private var portalProvider: String { Self.url(of: .healthPortal, .provider, firstPort) }

    private static func url(
        of service: Catalogue.Service, _ listener: Catalogue.ListenerName, _ firstPort: Int
    ) -> String {
        (try? service.url(listener, firstPort: firstPort)) ?? ""
    }

    /// The URL of a listener.
    package func url(of service: Catalogue.Service, _ listener: Catalogue.ListenerName) throws -> String {
        try service.url(listener, firstPort: firstPort)
    }

    /// The URL of a service's admin port.
    package func adminURL(of service: ServicePlan) -> String {
        "http://\(LocalPort.host):\(service.service.admin.number(first: firstPort))"
    }
}

extension Catalogue {
    /// The simulated identity provider's name in tokens, and its base URL.
    ///
    /// The portal is at 127.0.0.1. To a browser these are two sites, as they are in production, so that the rules for cookies
    /// apply that apply there.
    static func issuer(firstPort: Int) -> String {
        let port = Service.developmentIdentity.listener(.listen)?.port.number(first: firstPort) ?? 0
        return "https://localhost:\(port)"
    }
}

extension Catalogue.Service {
    /// The URL of a listener of a suite on this machine.
    func url(_ name: Catalogue.ListenerName, firstPort: Int) throws -> String {
        guard let listener = listener(name) else {
            throw CommandFailure("\(self.name) has no listener \(name.rawValue).")
        }
        return "\(listener.scheme)://\(LocalPort.host):\(listener.port.number(first: firstPort))"
    }
}
