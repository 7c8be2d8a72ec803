import DevelopmentSuite
import FoundationEssentials
import Postgres
import Schema
import Statistics
import TestSupport
import Testing

struct SampleFiguresTests {
    /// A Thursday.
    private static let today = LocalDay(number: 20_783)

    private func sample(_ seed: UInt64) -> SampleFigures {
        var randomness = SeededGenerator(seed: seed)
        return SampleFigures(weeks: 13, until: Self.today, using: &randomness)
    }

    @Test("sample figures look like released ones: rounded, withheld where they are small, nothing from the future")
    func rules() {
        let values = (0..<5).flatMap { sample($0).values }
        for (value, day) in values {
            let definition = value.figure.definition
            #expect(definition.cells.contains(value.cell) && definition.periods.contains(value.period))
            #expect(day <= Self.today)
            #expect(value.period == .day || value.start.weekday == 0)
            guard let shown = value.value else { continue }
            #expect(shown.isMultiple(of: definition.rounding))
            if definition.unit != .percent { #expect(shown >= definition.minimum) }
        }
        for figure in Figure.allCases {
            let own = values.filter { $0.value.figure == figure }
            #expect(Set(own.map(\.value.cell)) == Set(figure.definition.cells), "\(figure)")
            #expect(own.contains { $0.value.value != nil }, "\(figure)")
        }
        for figure in [Figure.codesMade, .codesRedeemed, .resultsPosted] {
            #expect(values.contains { $0.value.figure == figure && $0.value.value == nil }, "\(figure)")
        }
    }

    @Test(
        "sample figures can be stored once, and again change nothing",
        .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"))
    func stored() async throws {
        try await TestPostgres.withMigratedDatabase { database in
            try await TestPostgres.withClient(database.superuserConnection) { owner in
                let values = sample(1).values
                var stored: [Int] = []
                for _ in 0..<2 {
                    stored.append(
                        try await owner.transaction { session in
                            try Dictionary(grouping: values, by: \.releasedOn).map { day, values in
                                try FigureRelease.insert(values.map(\.value), on: day, in: session)
                            }.reduce(0, +)
                        })
                }
                #expect(stored == [values.count, 0])
            }
        }
    }
}
