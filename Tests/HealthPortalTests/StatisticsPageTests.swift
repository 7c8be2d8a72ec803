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
                // A share's minimum is that of its whole.
                let (size, least) = definition.unit == .percent ? (count / 4, 10) : (count, definition.minimum)
                let value = size < least ? nil : size / definition.rounding * definition.rounding
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

    /// Three days of keys from four countries; the other countries' are withheld.
    private static let imported: [ReleasedValue] = (1...3).flatMap { age in
        Figure.keysImported.definition.cells.map { cell -> ReleasedValue in
            let values = ["fr": 60, "it": 1_230, "at": 500, "mt": age == 2 ? nil : 50]
            return ReleasedValue(.keysImported, cell, today.advanced(by: -age), .day, values[cell] ?? nil)
        }
    }

    @Test("of imported keys the countries with most have columns, and every country with a value has a total")
    func countries() throws {
        let cells = Figure.keysImported.definition.cells
        let more = Self.imported + [ReleasedValue(.keysImported, "nl", Self.today.advanced(by: -2), .day, 70)]
        for span in FigureTable.Span.allCases {
            let table = try table(.keysImported, span, more.filter { $0.cell != "nl" || $0.value != nil })
            #expect(table.columns.map { cells[$0] } == ["it", "at", "fr", "mt"])
            #expect(table.columns == table.chartCells)
            #expect(table.ranking.map { cells[$0] } == ["it", "at", "fr", "mt", "nl"])
            #expect(
                table.ranking.map { table.totals[$0] }
                    == [.known(3_690), .known(1_500), .known(180), .atLeast(100), .known(70)])
            #expect(table.totals.count { $0 == .withheld } == 26)
        }
        // If nothing is large enough, that is what they show.
        let small = Self.imported.filter { !["fr", "it", "at", "mt"].contains($0.cell) }
        let table = try table(.keysImported, .short, small)
        #expect(table.ranking.isEmpty)
        #expect(table.columns.count == 4)
        #expect(table.chart(Words.english.statistics).withheldColumns.count == 3)
    }

    @Test("the page names countries, the greatest first, and those without a value together")
    func countriesOnPage() throws {
        let page = try ViewTests.frame(.english).statisticsPage(Self.imported, in: .short, today: Self.today)
        let text = String(decoding: page.bytes, as: UTF8.self)
        let section = try #require(text.firstMatch(of: #/<section[^>]*"keys-imported".*?<\/section>/#)?.output)
        let rows = section.matches(of: #/<th scope="row">([^<]*)<\/th><td>([^<]*)<\/td><\/tr>/#)
            .map { "\($0.output.1): \($0.output.2)" }
        #expect(
            rows == [
                "Italy: about 3,690", "Austria: about 1,500", "France: about 180", "Malta: at least 100",
                "Other countries: withheld",
            ])
        let columns = section.matches(of: #/<th scope="col">([^<]*)<\/th>/#).map { String($0.output.1) }
        #expect(columns == ["Period", "Italy", "Austria", "France", "Malta", "Country", "Keys"])
    }

    @Test("a page with donated figures says who donates and what protects them", arguments: Language.allCases)
    func donated(language: Language) throws {
        let frame = try ViewTests.frame(language)
        func text(_ released: [ReleasedValue]) -> String {
            String(decoding: frame.statisticsPage(released, in: .long, today: Self.today).bytes, as: UTF8.self)
        }
        let section = language.words.statistics.donated
        let donated = Self.released.filter { $0.figure.isDonated }
        #expect(Set(donated.map(\.figure)).count == 4)
        let page = text(donated)
        for paragraph in section.paragraphs {
            #expect(page.contains(String(decoding: tag(.p) { paragraph }.bytes, as: UTF8.self)))
        }
        #expect(!text(Self.released.filter { !$0.figure.isDonated }).contains(section.title))
    }

    @Test("charts of shares show the question: how many results are quick, how many apps are outdated")
    func shares() throws {
        func shown(_ figure: Figure) throws -> [String] {
            try table(figure, .long, Self.released).chartCells.map { figure.definition.cells[$0] }
        }
        #expect(try shown(.resultDelay) == ["pcr-24", "rapid-1"])
        #expect(try shown(.appVersions) == ["ios-older", "android-older"])
    }

    @Test("every figure and each of its parts has a name in both languages", arguments: Language.allCases)
    func names(language: Language) {
        let texts = language.words.statistics
        for figure in Figure.allCases {
            #expect(!texts.figure(figure).title.isEmpty)
            for cell in figure.definition.cells where !cell.isEmpty { #expect(texts.cell(cell) != cell) }
        }
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

    /// Each of the sixteen figures has some 4 kB, and imported keys 10.
    @Test("the page has at most 90 kB with its files", arguments: FigureTable.Span.allCases)
    func size(span: FigureTable.Span) throws {
        let page = try ViewTests.frame(.german).statisticsPage(Self.released, in: span, today: Self.today)
        #expect(page.bytes.count + Assets.style.bytes.count + Assets.script.bytes.count <= 90_000)
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
