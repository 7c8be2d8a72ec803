import Pages
import Testing

@testable import HealthPortal

@Suite("Charts") struct ChartTests {
    private func chart(_ values: [[Chart.Value]]) -> Chart {
        Chart(
            labels: values[0].indices.map { $0 % 2 == 0 ? "\($0)" : nil },
            series: values.enumerated().map { Chart.Series(name: "s\($0.offset)", values: $0.element) })
    }

    @Test(
        "ticks go from 0 beyond the greatest value in at most five steps of 1, 2 or 5",
        arguments: [
            (0, [0, 1]), (1, [0, 1]), (4, [0, 1, 2, 3, 4]), (6, [0, 2, 4, 6]), (11, [0, 5, 10, 15]),
            (100, [0, 20, 40, 60, 80, 100]),
            (101, [0, 50, 100, 150]), (999, [0, 200, 400, 600, 800, 1_000]),
            (1_000_001, [0, 500_000, 1_000_000, 1_500_000]),
        ])
    func ticks(greatest: Int, expected: [Int]) {
        #expect(Chart.ticks(upTo: greatest) == expected)
    }

    @Test("whatever the values, every point lies inside the drawing, in the order of the columns")
    func bounds() {
        var randomness = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            let count = Int.random(in: 1...100, using: &randomness)
            let series = (0..<Int.random(in: 1...4, using: &randomness)).map { _ in
                (0..<count).map { _ -> Chart.Value in
                    switch Int.random(in: 0...5, using: &randomness) {
                    case 0: .withheld
                    case 1: .missing
                    default:
                        .known(
                            Int.random(in: 0...(1 << Int.random(in: 0...30, using: &randomness)), using: &randomness))
                    }
                }
            }
            let chart = chart(series)
            #expect(chart.ticks.count <= 6)
            for series in chart.series {
                let points = chart.pieces(of: series).flatMap(\.self)
                #expect(points.count == series.values.count { if case .known = $0 { true } else { false } })
                for point in points {
                    #expect((Chart.left...(Chart.width - chart.right)).contains(chart.x(point.column)))
                    #expect((Chart.top...(Chart.height - Chart.bottom)).contains(chart.y(point.value)))
                }
                #expect(points.map(\.column) == points.map(\.column).sorted())
            }
            let names = chart.nameHeights.compactMap(\.self).sorted()
            #expect(zip(names, names.dropFirst()).allSatisfy { $1 - $0 >= 15.999 })
        }
    }

    @Test("a withheld value is a hatched column with a legend; a missing one is nothing; neither is zero")
    func gaps() {
        let drawing = String(
            decoding: chart([[.known(3), .withheld, .missing, .known(0)]])
                .drawing(id: "c", title: "T", unit: "codes", withheld: "hatched", decimal: { "\($0)" }).bytes,
            as: UTF8.self)
        #expect(drawing.firstMatch(of: /class="gap-area" d="([^"]*)"/)?.output.1.count { $0 == "M" } == 1)
        #expect(drawing.firstMatch(of: /class="bar" d="([^"]*)"/)?.output.1.count { $0 == "M" } == 2)
        #expect(drawing.contains("codes. hatched"))
    }
}
