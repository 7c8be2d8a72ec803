import DevelopmentSuite
import Foundation
import Glibc
import Logging
import Postgres
import Schema
import TestSupport
import Testing
import Vigil

@Suite(
    "A private PostgreSQL", .enabled(if: TestPostgres.isAvailable, "needs PostgreSQL's server programs"),
    .serialized, .timeLimit(.minutes(5)))
struct PostgresClusterTests {
    @Test(
        "is made, started, migrated and stopped, below any path",
        arguments: ["short", "a folder, with 'quotes' and \"more\" " + String(repeating: "x", count: 90)])
    func life(name: String) async throws {
        try await withScratchFolder(name: name) { scratch in
            let folder = StateFolder(scratch)
            let cluster = try await Self.newCluster(in: folder)
            #expect("\(cluster.socketDirectory)/.s.PGSQL.5432".utf8.count <= PostgresCluster.longestSocketPath)
            #expect(cluster.socketDirectory.hasPrefix(scratch) == (name == "short"))

            for _ in 1...2 {
                try await Self.running(cluster) {
                    try await Self.prepareDatabase(of: cluster, in: folder)
                }
            }
            if name != "short" { try FileManager.default.removeItem(atPath: cluster.socketDirectory) }
        }
    }

    @Test("lets each service in with its own password, and nobody with another's")
    func logins() async throws {
        try await withScratchFolder { scratch in
            let folder = StateFolder(scratch)
            let cluster = try await Self.newCluster(in: folder)
            try await Self.running(cluster) {
                try await Self.prepareDatabase(of: cluster, in: folder)
                for role in DatabaseRole.allCases {
                    let own = try SuiteSecrets.password(of: role.rawValue, in: folder)
                    #expect(try await Self.mayLogIn(role, with: own, cluster, folder), "\(role)")
                    let another = try SuiteSecrets.password(of: DatabaseRole.owner, in: folder)
                    #expect(try await !Self.mayLogIn(role, with: another, cluster, folder), "\(role)")
                }
            }
        }
    }

    @Test("left behind by a run that was killed is stopped, and no other")
    func leftover() async throws {
        try await withScratchFolder { scratch in
            let folder = StateFolder(scratch)
            let cluster = try await Self.newCluster(in: folder)
            #expect(try await !cluster.stopLeftover())
            let server = try await cluster.start()
            try await cluster.waitUntilReady(server)
            #expect(try await cluster.stopLeftover())
            #expect(try await server.end() == .status(0))

            // A process id in the file that now belongs to somebody else.
            let stranger = try await ChildProcess.start(.init("/bin/sleep", ["60"]))
            try Data("\(stranger.id)\n\(cluster.data)\n0\n5432\n\n\n\nready\n".utf8)
                .write(to: URL(filePath: "\(cluster.data)/postmaster.pid"))
            #expect(try await !cluster.stopLeftover())
            #expect(stranger.exit == nil)
            stranger.send(SIGKILL)
        }
    }

    @Test("that does not start says where its log is")
    func failure() async throws {
        try await withScratchFolder { scratch in
            let folder = StateFolder(scratch)
            let cluster = try await Self.newCluster(in: folder)
            let server = try await cluster.start(settings: ["shared_buffers=nonsense"])
            let failure = await #expect(throws: CommandFailure.self) { try await cluster.waitUntilReady(server) }
            #expect(failure?.description.hasSuffix("see \(folder.log("postgres")).") == true)
        }
    }

    @Test("is of the version that made its data directory, or none")
    func version() throws {
        #expect(throws: CommandFailure.self) { try PostgresInstallation.find(majorVersion: 6) }
        #expect(throws: CommandFailure.self) { try PostgresInstallation.find(below: "/nowhere") }
        let newest = try PostgresInstallation.find()
        #expect(try PostgresInstallation.find(majorVersion: newest.majorVersion) == newest)
    }

    // MARK: Helpers

    private static func mayLogIn(
        _ role: DatabaseRole, with password: String, _ cluster: PostgresCluster, _ folder: StateFolder
    ) async throws -> Bool {
        try folder.write("*:*:*:*:\(password)\n", to: folder.secret("pgpass-attempt"))
        let connection = cluster.connection(
            user: role.rawValue, database: SuiteDatabase.name, passwordFile: folder.secret("pgpass-attempt"))
        return try await TestPostgres.withClient(connection) { await $0.isHealthy() }
    }

    private static func newCluster(in folder: StateFolder) async throws -> PostgresCluster {
        try folder.prepare()
        let cluster = try PostgresCluster(directory: folder.postgres, log: folder.log("postgres"))
        let password = try SuiteSecrets.password(of: PostgresCluster.superuser, in: folder)
        try folder.write("\(password)\n", to: folder.secret("initdb-password"))
        // Nobody will miss the data if the machine loses power.
        try await cluster.initialise(passwordFile: folder.secret("initdb-password"), options: ["--no-sync"])
        #expect(cluster.exists)
        return cluster
    }

    private static func prepareDatabase(of cluster: PostgresCluster, in folder: StateFolder) async throws {
        let superuser = cluster.connection(
            user: PostgresCluster.superuser, database: "postgres",
            passwordFile: SuiteSecrets.passwordFile(of: PostgresCluster.superuser, in: folder))
        let ownerPassword = try SuiteSecrets.password(of: DatabaseRole.owner, in: folder)
        try await TestPostgres.withClient(superuser) {
            try await SuiteDatabase.create(superuser: $0, ownerPassword: ownerPassword)
        }
        let inside = cluster.connection(
            user: PostgresCluster.superuser, database: SuiteDatabase.name,
            passwordFile: SuiteSecrets.passwordFile(of: PostgresCluster.superuser, in: folder))
        try await TestPostgres.withClient(inside) { try await SuiteDatabase.restrict(superuser: $0) }
        let owner = cluster.connection(
            user: DatabaseRole.owner, database: SuiteDatabase.name,
            passwordFile: SuiteSecrets.passwordFile(of: DatabaseRole.owner, in: folder))
        try await DatabaseMigration.run(connection: owner, passwordsFrom: folder) { _ in }
    }

    /// Stops the server in every case.
    private static func running(_ cluster: PostgresCluster, _ body: () async throws -> Void) async throws {
        let server = try await cluster.start()
        let result: Result<Void, any Error>
        do {
            try await cluster.waitUntilReady(server)
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        server.send(SIGINT)
        #expect(try await server.end() == .status(0))
        try result.get()
    }
}
