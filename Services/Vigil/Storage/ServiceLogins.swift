package import Postgres
import Schema

/// How the services' roles log in: with a password, or with a certificate, which `pg_hba.conf` asks for.
package enum ServiceLogins {
    /// Lets every service's role log in to the database.
    ///
    /// A role without a password gets in only where `pg_hba.conf` doesn't ask for one. Nothing is done for roles that may log in
    /// already: somebody else may have made them, whom the owner must not change.
    /// - Parameter owner: connected, after the migrations, as a role that may change the services' roles.
    package static func allow(owner: PostgresClient) async throws {
        try await owner.session { session in
            for role in DatabaseRole.allCases {
                try session.script(
                    """
                    DO $$ BEGIN
                        IF NOT (SELECT rolcanlogin FROM pg_roles WHERE rolname = \(literal: role.rawValue)) THEN
                            ALTER ROLE \(identifier: role.identifier) LOGIN;
                        END IF;
                        IF NOT has_database_privilege(\(literal: role.rawValue), current_database(), 'CONNECT') THEN
                            EXECUTE format(
                                'GRANT CONNECT ON DATABASE %I TO \(identifier: role.identifier)', current_database());
                        END IF;
                    END $$
                    """)
            }
        }
    }

    /// Sets a role's password, and lets it log in. The server receives a verifier, never the password.
    package static func setPassword(
        _ password: String, of role: String, in client: PostgresClient
    ) async throws {
        guard let identifier = Identifier(validating: role) else { return }
        try await client.session { session in
            let verifier = try session.passwordVerifier(password, for: identifier)
            try session.script("ALTER ROLE \(identifier: identifier) LOGIN PASSWORD \(literal: verifier)")
        }
    }
}
