import Foundation
import Schema
import Testing
import Vigil

/// The limits of connections that every deployment sets by hand agree with the roles' limit.
struct ConnectionArithmeticTests {
    private static let checkout = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private static let needed = DatabaseRole.connections(each: DatabaseMigration.connections)

    @Test(
        "no deployment's max_connections is one that `vigil migrate` warns of",
        arguments: [
            "docker-compose.yml", "deploy/kubernetes/base/postgres.yaml", "Tests/Live/failover/cluster.sh",
            "Tests/Live/failover/second-site.sh",
        ])
    func defaults(path: String) throws {
        let found = try Self.numbers(in: path, after: #/max_connections[=:] *"?([0-9]+)/#)
        #expect(!found.isEmpty)
        for number in found { #expect(number >= Self.needed, "\(path)") }
    }

    @Test("deploy/sizing.md does the sum with the numbers of this build")
    func sum() throws {
        let text = try String(contentsOf: Self.checkout.appending(path: "deploy/sizing.md"), encoding: .utf8)
        let roles = DatabaseRole.allCases.count
        let limit = DatabaseMigration.connections
        let compose = try Self.numbers(in: "docker-compose.yml", after: #/max_connections=([0-9]+)/#)
        let most = try #require(compose.first)
        #expect(text.contains("\(roles) × \(limit) + 3 + 2 = \(Self.needed) of `max_connections` \(most)"))
        #expect(text.contains("at least \(roles) × N + 5"))
    }

    @Test("deploy/runbook.md gives PostgreSQL on three machines as many connections as its roles need")
    func threeMachines() throws {
        let row = #/max_connections: ([0-9]+)`, and `vigil migrate --connections [0-9]+`/#
        let limit = #/max_connections: [0-9]+`, and `vigil migrate --connections ([0-9]+)`/#
        let most = try #require(try Self.numbers(in: "deploy/runbook.md", after: row).first)
        let each = try #require(try Self.numbers(in: "deploy/runbook.md", after: limit).first)
        #expect(most >= DatabaseRole.connections(each: each))
    }

    private static func numbers(in path: String, after pattern: Regex<(Substring, Substring)>) throws -> [Int] {
        let text = try String(contentsOf: checkout.appending(path: path), encoding: .utf8)
        return text.matches(of: pattern).compactMap { Int($0.output.1) }
    }
}
