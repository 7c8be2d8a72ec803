import ExposureKeys
import FederationFormat
import FoundationEssentials
import Running
import Schema
import TLS

/// A gateway that this process exchanges keys with, from the configuration keys `gateway.*`.
struct GatewayPlan: Sendable {
    /// The gateway's behaviour, where gateways differ.
    enum Behaviour: String, CaseIterable, Sendable {
        /// The European Federation Gateway Service: <https://github.com/eu-federation-gateway-service/efgs-federation-gateway>.
        case efgs
        /// The Swiss gateway: <https://github.com/admin-ch/chgs-federation-gateway>.
        case chgs

        /// How many days before the current one the gateway keeps batches.
        var daysKept: Int {
            switch self {
            case .efgs: 2
            case .chgs: 6
            }
        }

        /// Whether an upload that is answered 207 stored the keys that the answer calls new.
        var storesPartly: Bool { self == .chgs }
    }

    /// Tells the gateway's rows from another's, which has a process of its own.
    let name: String
    let behaviour: Behaviour
    let url: String
    let tls: TLSFiles
    let anchor: TrustAnchor
    /// Bits of a country's signing key of RSA.
    let smallestSigningKey: Int
    let denied: DeniedCountries
    /// This country.
    let origin: CountryCode
    /// How many days before the current one are looked through.
    let days: Int
    /// For everything of a call, from the connection to the last byte.
    let deadline: Duration

    init(_ settings: Settings) throws(ConfigurationProblem) {
        name = settings.string("gateway.name", default: Behaviour.efgs.rawValue)
        guard (1...16).contains(name.utf8.count), name.utf8.allSatisfy(Self.isAllowed) else {
            throw settings.wrong("gateway.name", "must be 1 to 16 lower-case letters, digits and hyphens")
        }
        let text = settings.string("gateway.protocol", default: Behaviour.efgs.rawValue)
        guard let behaviour = Behaviour(rawValue: text) else {
            throw settings.wrong("gateway.protocol", "must be efgs or chgs")
        }
        self.behaviour = behaviour
        url = try settings.url("gateway.url")
        guard url.hasPrefix("https:") else { throw settings.wrong("gateway.url", "must begin with https:") }
        tls = TLSFiles(
            certificate: try settings.path("gateway.certificate"), key: try settings.path("gateway.key"),
            authorities: settings.optionalString("gateway.authorities") == nil
                ? nil : try settings.path("gateway.authorities"))
        anchor = try Self.anchor(settings)
        smallestSigningKey = try settings.int("gateway.smallestSigningKey", default: 3072, in: 2048...8192)
        denied = try DeniedCountries(settings)
        origin = try Self.origin(settings)
        days = try settings.int("gateway.days", default: behaviour.daysKept, in: 0...RollingPeriod.daysKept)
        deadline = try settings.duration("gateway.deadline", default: .seconds(60), in: .seconds(1) ... .seconds(300))
    }

    /// The setting `origin`, this country.
    static func origin(_ settings: Settings) throws(ConfigurationProblem) -> CountryCode {
        let fact = CountryFact.origin
        guard let origin = CountryCode(settings.string(fact.rawValue, default: fact.standard)) else {
            throw settings.wrong(fact.rawValue, "must be the two capital letters of a country")
        }
        return origin
    }

    /// The setting `lowestRiskLevel`, the same as distribution's.
    static func lowestLevel(_ settings: Settings) throws(ConfigurationProblem) -> TransmissionRiskLevel {
        let level = try settings.int(
            "lowestRiskLevel", default: TransmissionRiskLevel.lowestPublished.rawValue, in: TransmissionRiskLevel.range)
        return TransmissionRiskLevel(rawValue: level) ?? .lowestPublished
    }

    /// A list of countries.
    static func countries(_ key: String, _ settings: Settings) throws(ConfigurationProblem) -> [CountryCode] {
        let texts = settings.list(key)
        let countries = texts.compactMap { CountryCode($0) }
        guard countries.count == texts.count, Set(countries).count == countries.count else {
            throw settings.wrong(key, "must be different countries of two capital letters, such as FR, NL")
        }
        return countries
    }

    private static func anchor(_ settings: Settings) throws(ConfigurationProblem) -> TrustAnchor {
        let path = try settings.path("gateway.trustAnchor")
        let bits = try settings.int("gateway.smallestAnchorKey", default: 3072, in: 2048...8192)
        guard let certificate = try? FederationCertificate(pem: try settings.text("gateway.trustAnchor")) else {
            throw settings.wrong("gateway.trustAnchor", "names \(path), which must hold one certificate in PEM")
        }
        do {
            return try TrustAnchor(certificate, smallestRSA: bits)
        } catch {
            throw settings.wrong(
                "gateway.trustAnchor",
                "names \(path), whose key must be on P-256, P-384 or P-521 or RSA of \(bits) bits and more (gateway.smallestAnchorKey), signed with SHA-256 or better"
            )
        }
    }

    private static func isAllowed(_ letter: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(letter)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(letter) || letter == UInt8(ascii: "-")
    }
}
