import Foundation
import Pages
import Statistics
import Testing

@testable import HealthPortal

@Suite("Statistics pages") struct StatisticsPageTests {
    /// A Wednesday, 2026-11-25.
    static let today = LocalDay(number: 20_782)

    /// Values of 13 weeks and a few days: some withheld, the newest days not released yet.
    static let released: [ReleasedValue] = (0..<95).flatMap { age -> [ReleasedValue] in
        let day = today.advanced(by: -age)
        return Figure.allCases.flatMap { figure -> [ReleasedValue] in
            let definition = figure.definition
            return definition.cells.enumerated().flatMap { index, cell -> [ReleasedValue] in
                let count = (Int(day.number) * 37 + index * 53) % 400
                let value = count < definition.minimum ? nil : count / definition.rounding * definition.rounding
                var values: [ReleasedValue] = []
                if definition.periods.contains(.day), age > 1 { values.append(.init(figure, cell, day, .day, value)) }
                if definition.periods == [.week], day == day.monday, age > 7 {
                    values.append(.init(figure, cell, day, .week, value))
                }
                return values
            }
        }
    }

    private func table(_ figure: Figure, _ span: FigureTable.Span, _ released: [ReleasedValue]) throws -> FigureTable {
        try #require(FigureTable(figure, in: span, today: Self.today, of: released))
    }

    @Test("four weeks have a row a day up to yesterday, thirteen a row a week, from a Monday on")
    func rows() throws {
        let short = try table(.wrongEntries, .short, Self.released)
        #expect(short.rows.count == 21 + 2)
        #expect(short.rows.first?.start == Self.today.monday.advanced(by: -21))
        #expect(short.rows.last?.start == Self.today.advanced(by: -1))
        #expect(short.rows.last?.cells == [.missing])
        let long = try table(.wrongEntries, .long, Self.released)
        #expect(long.rows.map(\.start) == (0..<13).map { Self.today.monday.advanced(by: -7 * (12 - $0)) })
        #expect(long.rows.allSatisfy { $0.period == .week })
    }

    @Test("a week of days is their sum; with a withheld day only at least that; with none it is withheld")
    func weeks() throws {
        let monday = Self.today.monday.advanced(by: -14)
        func week(_ days: [Int?], rest: Int?? = .none) throws -> FigureTable.Cell {
            var values = days.enumerated().map {
                ReleasedValue(.codesMade, "test", monday.advanced(by: $0.offset), .day, $0.element)
            }
            if let rest { values.append(ReleasedValue(.codesMade, "test", monday, .week, rest)) }
            let rows = try table(.codesMade, .long, values).rows
            return try #require(rows.first { $0.start == monday }).cells[0]
        }
        #expect(try week([10, 20, 30, 10, 20, 30, 40]) == .known(160))
        #expect(try week([10, nil, 30, 10, 20, 30, 40]) == .atLeast(140))
        #expect(try week([10, nil, 30, 10, 20, 30, nil], rest: 15) == .known(115))
        #expect(try week([10, nil, 30, 10, 20, 30, nil], rest: .some(nil)) == .atLeast(100))
        #expect(try week([nil, nil, nil, nil, nil, nil, nil]) == .withheld)
    }

    @Test("days without a value have a row together, which no chart shows")
    func rest() throws {
        let monday = Self.today.monday.advanced(by: -7)
        let values = [
            ReleasedValue(.codesMade, "test", monday, .day, 20),
            ReleasedValue(.codesMade, "test", monday.advanced(by: 1), .day, nil),
            ReleasedValue(.codesMade, "test", monday, .week, 15),
        ]
        let table = try table(.codesMade, .short, values)
        #expect(table.rows.filter(\.isRest).map(\.cells) == [[.known(15), .missing]])
        #expect(table.chart(Words.english.statistics).labels.count == table.rows.count - 1)
    }

    @Test(
        "page, CSV and JSON show the same values, and the same request gives the same bytes",
        arguments: FigureTable.Span.allCases)
    func same(span: FigureTable.Span) throws {
        let records = Self.released.map { ReleasedRow(of: $0) }
        let lines = FigureFile.csv(records).split(separator: "\r\n")
        #expect(lines.count == records.count + 1)
        #expect(lines.allSatisfy { $0.split(separator: ",", omittingEmptySubsequences: false).count == 10 })
        #expect(!lines.contains { $0.contains(#/(^|,)[=+@-]/#) })
        struct File: Decodable {
            struct Value: Decodable {
                let figure: String
                let start: String
                let value: Int?
                let withheld: Bool
            }
            let values: [Value]
        }
        let file = try JSONDecoder().decode(File.self, from: FigureFile.json(records))
        #expect(file.values.count == records.count)
        for (line, value) in zip(lines.dropFirst(), file.values) {
            let columns = line.split(separator: ",", omittingEmptySubsequences: false)
            #expect(columns[0] == value.figure && columns[3] == value.start)
            #expect(columns[5] == (value.value.map { "\($0)" } ?? "") && columns[6] == "\(value.withheld)")
            #expect(value.withheld == (value.value == nil))
        }
        let frame = try ViewTests.frame(.english)
        let pages = (0..<2).map { _ in frame.statisticsPage(Self.released, in: span, today: Self.today).bytes }
        #expect(pages[0] == pages[1])
    }

    @Test("the page has at most 60 kB with its files", arguments: FigureTable.Span.allCases)
    func size(span: FigureTable.Span) throws {
        let page = try ViewTests.frame(.german).statisticsPage(Self.released, in: span, today: Self.today)
        #expect(page.bytes.count + Assets.style.bytes.count + Assets.script.bytes.count <= 60_000)
    }
}

extension ReleasedRow {
    fileprivate init(of value: ReleasedValue) {
        let definition = value.figure.definition
        self.init(
            value: value, rounding: definition.rounding, definition: Int(definition.version),
            released: value.start.advanced(by: 2))
    }
}
