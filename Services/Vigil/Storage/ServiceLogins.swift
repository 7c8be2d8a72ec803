package import Postgres
package import Schema

/// The passwords with which the services' roles log in.
package enum ServiceLogins {
    /// Sets every service's password and lets its role connect.
    /// - Parameters:
    ///   - owner: connected as a role that may change the services' roles, after the migrations.
    ///   - password: of each role.
    package static func allow(
        owner: PostgresClient, password: (DatabaseRole) throws -> String
    ) async throws {
        for role in DatabaseRole.allCases {
            try await setPassword(try password(role), of: role.rawValue, in: owner)
            guard let identifier = Identifier(validating: role.rawValue) else { continue }
            try await owner.session {
                try $0.script("GRANT CONNECT ON DATABASE vigil TO \(identifier: identifier)")
            }
        }
    }

    /// Sets a role's password. The server is sent a verifier, never the password.
    package static func setPassword(
        _ password: String, of role: String, in client: PostgresClient
    ) async throws {
        guard let identifier = Identifier(validating: role) else { return }
        let verifier = SCRAMVerifier(password: password)
        try await client.session {
            try $0.script("ALTER ROLE \(identifier: identifier) LOGIN PASSWORD \(literal: verifier.text)")
        }
    }
}
