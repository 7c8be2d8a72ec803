import ArgumentParser
import Foundation
import HTTPContract
import Logging
import Postgres
import Schema
import TLS

/// Makes what servers need to be measured: the newest schema, and certificates by role in a folder.
struct PrepareSuite: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Make schema and certificates for servers to be timed.")

    @Option(help: "The database, as its superuser; a libpq connection string; without it there are certificates alone.")
    var connection: String?

    @Option(help: "An existing folder for <role>.pem, <role>.key and authority.pem.")
    var folder: String

    func run() async throws {
        if let connection {
            let client = PostgresClient(
                PostgresConfiguration(connection: connection, applicationName: "benchmark", maximumConnections: 2),
                logger: Logger(label: "benchmark"))
            try await Schema.migrate(owner: client)
            await client.close()
        }
        let validity = Date().addingTimeInterval(-3600)..<Date().addingTimeInterval(86_400)
        let authority = try CertificateAuthority.create(name: "Benchmark authority", validity: validity)
        try write(authority.certificatePEM, "authority.pem")
        for role in Role.allCases {
            let identity = try authority.issueLeaf(
                commonName: role.rawValue, role: role, dnsNames: ["localhost"], ipAddresses: ["127.0.0.1"],
                validity: validity)
            try write(identity.certificatePEM, "\(role.rawValue).pem")
            try write(identity.privateKeyPEM, "\(role.rawValue).key")
        }
    }

    private func write(_ text: String, _ name: String) throws {
        try Data(text.utf8).write(to: URL(filePath: folder).appending(path: name))
    }
}
