import Postgres
import Running

/// The table `vigil.country`: one row for each ``CountryFact``.
enum CountryRecord {
    /// Whether the table exists.
    static func exists(in session: Session) throws(PostgresError) -> Bool {
        try session.row("SELECT to_regclass('vigil.country') IS NOT NULL", as: Bool.self) ?? false
    }

    /// What is recorded; nil before the first migration has ended.
    static func value(of fact: CountryFact, in session: Session) throws(PostgresError) -> String? {
        try session.row("SELECT value FROM vigil.country WHERE fact = \(fact.rawValue)", as: String.self)
    }

    /// Records what isn't recorded yet, and what shall change.
    /// - Parameters:
    ///   - wanted: the facts that the operator names. A new suite has the standard for the others; an old one keeps them.
    ///   - replaces: whether to change what is recorded.
    /// - Returns: a sentence for each change.
    /// - Throws: ``CountryMismatch`` for a change that isn't allowed; ``ConfigurationProblem`` for an impossible value.
    static func settle(_ wanted: [CountryFact: String], replaces: Bool, in session: Session) throws -> [String] {
        try CountryFact.allCases.compactMap { fact in
            let recorded = try value(of: fact, in: session)
            guard let value = wanted[fact] ?? (recorded == nil ? fact.standard : nil), value != recorded else {
                return nil
            }
            if let flaw = try fact.flaw(of: value, in: session) {
                throw ConfigurationProblem("\(fact.option) \(flaw).")
            }
            if let recorded, !replaces { throw CountryMismatch(fact: fact, value: value, recorded: recorded) }
            try session.execute(
                """
                INSERT INTO vigil.country (fact, value) VALUES (\(fact.rawValue), \(value))
                ON CONFLICT (fact) DO UPDATE SET value = excluded.value
                """)
            return recorded.map {
                "Changed \(fact.rawValue) from \($0) to \(value): set \(fact.variable) and start every service anew."
            }
        }
    }
}

extension Schema {
    /// What every service needs that has a setting of ``CountryFact``.
    static let country = Requirement(schema: .common, version: 4)
}
