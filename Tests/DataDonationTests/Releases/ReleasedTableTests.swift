import Foundation
import Postgres
import Schema
import Statistics
import Synchronization
import TestSupport
import Testing

@testable import DataDonation

/// For how many units noise was drawn.
final class DrawnUnits: Sendable {
    private let drawn = Mutex<[Int]>([])
    var units: [Int] { drawn.withLock { $0 } }

    func note(_ units: Int) { drawn.withLock { $0.append(units) } }
}

/// The weekly tables for analysts.
@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct ReleasedTableTests {
    @Test("a table has its cells and the sums of rows and columns; a small cell takes others with it")
    func cells() async throws {
        try await DonatedData.run { data in
            for state in 0...2 as ClosedRange<Int16> {
                for age in 0...3 as ClosedRange<Int16> {
                    try await data.risks(state == 1 && age == 2 ? 7 : 200, state: state, age: age, level: 3)
                }
            }
            // A state that the country doesn't have counts as unknown.
            try await data.risks(50, state: 9, age: 0, level: 3)
            #expect(try await data.release() == 6)
            let high = try await data.cells(of: .riskLevels).filter { $0.hasPrefix("high ") }
            #expect(
                high == [
                    "high unknown unknown 250", "high unknown 0-29 200", "high unknown 30-59 200",
                    "high unknown 60+ 200", "high unknown all 850", "high 1 unknown 200", "high 1 0-29 200",
                    "high 1 30-59 withheld", "high 1 60+ withheld", "high 1 all 610", "high 2 unknown 200",
                    "high 2 0-29 200", "high 2 30-59 withheld", "high 2 60+ withheld", "high 2 all 800",
                    "high all unknown 650", "high all 0-29 600", "high all 30-59 410", "high all 60+ 600",
                    "high all all 2260",
                ])
            // By visits all of them are one level.
            let visits = try await data.cells(of: .visitRiskLevels)
            #expect(visits.contains("none all all 2260") && visits.contains("high all all withheld"))
        }
    }

    @Test("tests, uploads, encounters and versions are counted by what their table says")
    func others() async throws {
        try await DonatedData.run { data in
            try await data.tests(400, state: 2, age: 3, result: 3)
            try await data.tests(500, state: 1, age: 3, result: 3)
            try await data.tests(600, state: 1, age: 1, result: 3)
            try await data.tests(700, state: 2, age: 1, result: 3)
            try await data.submissions(900, state: 1, submitted: true)
            try await data.submissions(300, state: 1, submitted: false)
            try await data.submissions(299, state: 2, submitted: true)
            try await data.submissions(600, state: 2, submitted: false)
            try await data.submissions(400, state: 0, submitted: true)
            try await data.submissions(500, state: 0, submitted: false)
            try await data.encounters(60, attenuations: [80, 62, 71])
            try await data.encounters(70, attenuations: [63])
            try await data.encounters(80, level: 6, attenuations: [62])
            try await data.encounters(90, level: 6, attenuations: [78, 65])
            try await data.encounters(100, attenuations: [62], occasion: 1)
            try await data.clients(700, version: "3.2.1")
            try await data.clients(150, version: "3.1.0")
            try await data.clients(60, version: "2.9.0")
            #expect(try await data.release() == 6)
            let tests = try await data.cells(of: .testResults).filter { $0.hasPrefix("pcr-positive ") }
            #expect(tests.contains("pcr-positive 1 60+ 500") && tests.contains("pcr-positive all all 2200"))
            let uploads = try await data.cells(of: .keySubmissions)
            #expect(
                uploads == [
                    "unknown submitted withheld", "unknown not-submitted withheld", "unknown all 900",
                    "1 submitted 900", "1 not-submitted 300", "1 all 1200", "2 submitted withheld",
                    "2 not-submitted withheld", "2 all 900", "all submitted 1600", "all not-submitted 1400",
                    "all all 3000",
                ])
            let encounters = try await data.cells(of: .encounters).filter { $0.hasPrefix("standard ") }
            #expect(
                ["5 to-62 60", "5 63-72 70", "6 to-62 80", "6 63-72 90", "all all 300"].allSatisfy {
                    encounters.contains("standard \($0)")
                })
            #expect(
                try await data.cells(of: .appVersions) == ["ios 3.2 700", "ios other 210", "android other withheld"])
        }
    }

    @Test("each cell is released once, whoever releases at the same time, and later noise changes nothing")
    func once() async throws {
        try await DonatedData.run { data in
            try await data.risks(5_000, level: 3)
            async let first = data.release(.random)
            async let second = data.release(.random)
            #expect(try await first + second == DonatedTable.allCases.count)
            let cells = try await data.cells(of: .riskLevels)
            try await data.risks(5_000, level: 3)
            for hours in 1...3 {
                #expect(try await data.release(.random, at: DonatedData.now + Double(hours) * 3600) == 0)
            }
            #expect(try await data.cells(of: .riskLevels) == cells)
            // Four levels, three states and four ages, with their sums.
            #expect(cells.count == 80)
            for statement: SQL in [
                "UPDATE donation.released_cell SET value = 1", "DELETE FROM donation.released_cell",
                "DELETE FROM donation.released_table",
            ] {
                let error = await #expect(throws: PostgresError.self) {
                    try await data.client.session { session in try session.execute(statement) }
                }
                #expect(error?.sqlState == .insufficientPrivilege)
            }
        }
    }

    @Test("every cell gets noise for what a person, or an encounter, adds to its table; sums get none of their own")
    func units() async throws {
        try await DonatedData.run { data in
            try await data.clients(700, version: "3.2.1")
            let drawn = DrawnUnits()
            _ = try await data.release(
                CountNoise {
                    drawn.note($0); return 0
                })
            let expected =
                [Int](repeating: 8, count: 2 * 4 * 3 * 4) + [Int](repeating: 16, count: 8 * 3 * 4)
                + [Int](repeating: 24, count: 3 * 2) + [Int](repeating: 1, count: 3 * 9 * 4) + [8]
            #expect(drawn.units == expected)
        }
    }

    @Test("the noise of released cells has the width that the definitions name", arguments: DonatedTable.allCases)
    func width(table: DonatedTable) {
        let randomness = Mutex(SeededGenerator(seed: 11))
        let noise = CountNoise { units in
            randomness.withLock { TwoSidedGeometric(unitsPerPerson: units).sample(using: &$0) }
        }
        let definition = table.definition
        let slice = Slice(
            part: "", rows: (0..<200).map { "\($0)" }, columns: (0..<20).map { "\($0)" },
            counts: (0..<200).map { row in (0..<20).map { 10_000 + (row + $0) % 10 } })
        let counts = Dictionary(
            uniqueKeysWithValues: (0..<200).flatMap { row in
                (0..<20).map { ("\(row) \($0)", slice.counts[row][$0]) }
            })
        let differences = slice.released(definition, noise).compactMap { cell in
            counts["\(cell.row) \(cell.column)"].map { Double((cell.value ?? 0) - $0) }
        }
        let deviation = (differences.map { $0 * $0 }.reduce(0, +) / Double(differences.count)).squareRoot()
        // That of the noise, and of rounding to multiples of ten.
        let ratio = exp(-1 / Double(2 * definition.units))
        let expected = (2 * ratio / ((1 - ratio) * (1 - ratio)) + 100.0 / 12).squareRoot()
        #expect(differences.count == 4_000)
        #expect(abs(deviation / expected - 1) < 0.06)
        #expect(abs(differences.reduce(0, +) / 4_000) < expected / 12)
    }

    // MARK: Files

    @Test("an export has a file for each table, definitions and an explanation, and the next one the same bytes")
    func files() async throws {
        try await DonatedData.run { data in
            try await data.risks(5_000, level: 3)
            try await data.clients(700, version: "3.2.1")
            _ = try await data.release(.random)
            let folder = FileManager.default.temporaryDirectory.appending(path: "vigil-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: folder) }
            var exports: [[String: String]] = []
            for name in ["one", "two"] {
                let directory = folder.appending(path: name, directoryHint: .isDirectory)
                #expect(try await ExportCommand.write(to: directory, from: data.client) == 8)
                exports.append(
                    try FileManager.default.contentsOfDirectory(atPath: directory.path).reduce(into: [:]) {
                        $0[$1] = try String(contentsOf: directory.appending(path: $1), encoding: .utf8)
                    })
            }
            #expect(exports[0] == exports[1])
            let names = DonatedTable.allCases.map { "\($0.rawValue).csv" } + ["README.txt", "definitions.csv"]
            #expect(Set(exports[0].keys) == Set(names))
            let lines = try #require(exports[0]["risk-levels.csv"]).split(separator: "\r\n")
            #expect(lines.first == "week,level,state,age,value,withheld,definition")
            #expect(lines.count == 1 + 4 * 4 * 5)
            #expect(lines.contains { $0.contains(#/^2026-11-16,high,1,0-29,\d+0,false,1$/#) })
            #expect(lines.contains("2026-11-16,low,2,60+,,true,1"))
            let definitions = try #require(exports[0]["definitions.csv"]).split(separator: "\r\n")
            #expect(
                definitions.contains(
                    "risk-levels,1,donations,level state age,100,10,0.5,all that a person donates in the week,8,16,"
                        + "2026-11-16,2026-11-16"))
            #expect(definitions.count == 1 + DonatedTable.allCases.count)
            for (name, text) in exports[0] where name.hasSuffix(".csv") {
                let widths = Set(text.split(separator: "\r\n").map { $0.count { $0 == "," } })
                #expect(widths.count == 1, "\(name)")
                #expect(!text.contains(#/(^|,|\n)[=+@-]/#), "\(name)")
            }
        }
    }

    @Test("before anything is released, files have their first line only")
    func empty() async throws {
        try await DonatedData.run { data in
            let folder = FileManager.default.temporaryDirectory.appending(path: "vigil-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: folder) }
            _ = try await ExportCommand.write(to: folder, from: data.client)
            let text = try String(contentsOf: folder.appending(path: "encounters.csv"), encoding: .utf8)
            #expect(text == "week,infectiousness,transmission_risk_level,attenuation,value,withheld,definition\r\n")
        }
    }
}
