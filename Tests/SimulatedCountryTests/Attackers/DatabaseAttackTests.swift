import CountryModel
import ExposureFormat
import ExposureKeys
import Foundation
import Testing

@testable import SimulatedCountry

/// What somebody learns who takes a database's files.
@Suite("Attackers on a country's database", .timeLimit(.minutes(5))) struct DatabaseAttackTests {
    /// Writes keys into a file, and asks which came together.
    private static func attack(_ output: PublicOutput, _ keys: [KeyData]) async throws -> Attack {
        let file = FileManager.default.temporaryDirectory.appending(path: "vigil-table-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try keys.reduce(into: Data()) { $0 += [9, 9, 9] + $1.bytes }.write(to: file)
        return try await Attack.regrouping(in: output, by: "a table", [file], seed: 1)
    }

    @Test("keys in the order of their bytes tell nothing, and those in the order of uploads are found")
    func places() async throws {
        let output = try PublicOutput.sample(seed: 6, days: 4)
        let keys = output.packages.flatMap { $0.keys.map(\.data) }
        let sorted = try await Self.attack(output, keys)
        #expect(sorted.questions > 300 && !sorted.findsSomething, "\(sorted.accuracy)")
        #expect(sorted.control > 0.9)
        let inOrder = keys.sorted {
            (output.owners[$0]?.rawValue ?? .max, $0) < (output.owners[$1]?.rawValue ?? .max, $1)
        }
        #expect(try await Self.attack(output, inOrder).findsSomething)
    }

    @Test("tables and the log are told apart by their folders")
    func folders() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "vigil-cluster-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        for name in ["data/base/1/2", "data/pg_wal/3", "data/global/4"] {
            let file = folder.appending(path: name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data([1]).write(to: file)
        }
        let evidence = Evidence(
            output: PublicOutput(packages: [], owners: [:]), database: folder.path, trace: NetworkTrace(), sightings: []
        )
        #expect(try evidence.databaseFiles.map { $0.files.map(\.lastPathComponent) } == [["2"], ["3"]])
    }
}
