package import Postgres
package import Running

/// What all services of a suite must agree on about their country.
///
/// `vigil migrate` records it in `vigil.country`. Each service that has the setting compares it with the record when it starts: with
/// two origins every upload would be refused, with two time zones a day would be counted in two ways, and nobody would see why.
package enum CountryFact: String, CaseIterable, Sendable {
    /// The country whose people upload here, by the two letters of ISO 3166-1.
    case origin
    /// The authority's time zone, by a name of the IANA time zone database.
    case timeZone = "statistics.timeZone"

    /// The value where none is set.
    package var standard: String {
        switch self {
        case .origin: "DE"
        case .timeZone: "Europe/Berlin"
        }
    }

    /// The variable of docker-compose.yml and of the manifests for Kubernetes.
    package var variable: String {
        switch self {
        case .origin: "VIGIL_ORIGIN"
        case .timeZone: "VIGIL_TIME_ZONE"
        }
    }

    /// The option of `vigil migrate`.
    package var option: String {
        switch self {
        case .origin: "--origin"
        case .timeZone: "--time-zone"
        }
    }

    /// What a value has to be; nil if this one is.
    func flaw(of value: String, in session: Session) throws(PostgresError) -> String? {
        switch self {
        case .origin:
            let letters = UInt8(ascii: "A")...UInt8(ascii: "Z")
            let isCode = value.utf8.count == 2 && value.utf8.allSatisfy(letters.contains)
            return isCode ? nil : "must be the two capital letters of a country, such as \(standard)"
        case .timeZone:
            do {
                _ = try session.row("SELECT now() AT TIME ZONE \(value) IS NULL", as: Bool.self)
                return nil
            } catch  where error.sqlState == .invalidParameterValue {
                return "must be a time zone's name, such as \(standard)"
            }
        }
    }
}

extension Settings {
    /// A fact about the country, as this service is set: the value that the suite was migrated with.
    /// - Throws: ``ConfigurationProblem`` for a value that can't be one, ``CountryMismatch`` for another one than recorded.
    package func agreed(on fact: CountryFact, in database: PostgresClient) async throws -> String {
        let value = string(fact.rawValue, default: fact.standard)
        let (flaw, recorded) = try await database.session { session in
            (try fact.flaw(of: value, in: session), try CountryRecord.value(of: fact, in: session))
        }
        if let flaw { throw wrong(fact.rawValue, flaw) }
        if let recorded, recorded != value { throw CountryMismatch(fact: fact, value: value, recorded: recorded) }
        return value
    }
}

/// A service, or `vigil migrate`, is set to another country than the suite was migrated with.
package struct CountryMismatch: OperatorProblem, Equatable {
    /// What differs.
    package let fact: CountryFact
    /// What is set.
    package let value: String
    /// What `vigil migrate` recorded.
    package let recorded: String

    package var description: String {
        "\(fact.rawValue) is \(value), but this suite was migrated with \(recorded): set it to \(recorded) "
            + "(\(fact.variable) in containers), or change the whole suite with "
            + "`vigil migrate \(fact.option) \(value) --change-country`."
    }

    /// `EX_CONFIG` of sysexits.h.
    package var exitStatus: Int32 { 78 }
}
