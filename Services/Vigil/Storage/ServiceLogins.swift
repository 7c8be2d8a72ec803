package import Postgres
package import Schema

/// The passwords with which the services' roles log in.
package enum ServiceLogins {
    /// Sets every service's password and allows its role to log in.
    /// - Parameters:
    ///   - owner: connected, after the migrations, as a role that may change the services' roles.
    ///   - password: returns the password of a role.
    package static func allow(
        owner: PostgresClient, password: (DatabaseRole) throws -> String
    ) async throws {
        for role in DatabaseRole.allCases {
            try await setPassword(try password(role), of: role.rawValue, in: owner)
            try await owner.session {
                try $0.script("GRANT CONNECT ON DATABASE vigil TO \(identifier: role.identifier)")
            }
        }
    }

    /// Sets a role's password. The server receives a verifier, never the password.
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
