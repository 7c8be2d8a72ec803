import HTTPContract
import Pages
import Statistics

extension Frame {
    /// The figures of a period: for each a chart, its definition, and a table with the same values.
    func statisticsPage(_ released: [ReleasedValue], in span: FigureTable.Span, today: LocalDay) -> HTML {
        let texts = words.statistics
        let tables = Figure.allCases.compactMap { FigureTable($0, in: span, today: today, of: released) }
        return document(title: texts.title) {
            tag(.h1) { texts.title }
            tag(.p, .class("lead")) { texts.lead }
            periods(span)
            if tables.isEmpty { tag(.p, .class("notice")) { texts.none } }
            tag(.div, .class("figures")) { for table in tables { section(table) } }
            for section in tables.contains(where: \.isDonated) ? [texts.donated, texts.why] : [texts.why] {
                tag(.h2) { section.title }
                for paragraph in section.paragraphs { tag(.p) { paragraph } }
            }
        }
    }

    private func periods(_ span: FigureTable.Span) -> HTML {
        tag(.nav, .class("plain"), .set(.ariaLabel, words.statistics.period)) {
            tag(.ul, .class("period")) {
                for choice in FigureTable.Span.allCases {
                    tag(.li) {
                        if choice == span {
                            tag(.a, .href(Self.address("/statistics", choice)), .set(.ariaCurrent, "page")) {
                                words.statistics.weeks(choice.rawValue)
                            }
                        } else {
                            tag(.a, .href(Self.address("/statistics", choice))) {
                                words.statistics.weeks(choice.rawValue)
                            }
                        }
                    }
                }
            }
            tag(.p, .class("links")) {
                tag(.span) { words.statistics.save }
                tag(.a, .href(Self.address("/statistics.csv", span))) { "CSV" }
                tag(.a, .href(Self.address("/statistics.json", span))) { "JSON" }
            }
        }
    }

    private static func address(_ path: String, _ span: FigureTable.Span) -> Location {
        // Both values come from closed lists.
        (try? Location(path: path, query: ["weeks": "\(span.rawValue)"])) ?? "/statistics"
    }

    private func section(_ table: FigureTable) -> HTML {
        let id = table.figure.rawValue
        let texts = words.statistics
        let (title, definition) = texts.figure(table.figure)
        let chart = table.chart(texts)
        return tag(.section, .class("card"), .set(.ariaLabelledby, id)) {
            tag(.h2, .id(id)) { title }
            tag(.p) { definition }
            chart.drawing(
                id: id, title: title, unit: texts.unit(table.figure.definition.unit), withheld: texts.withheldLegend,
                decimal: words.decimal)
            if !chart.withheldColumns.isEmpty { tag(.p) { texts.withheldLegend } }
            tag(.details) {
                tag(.summary) { texts.table(title) }
                tag(
                    .div, .class("scroll"), .set(.role, "region"), .set(.tabindex, 0),
                    .set(.ariaLabel, texts.table(title))
                ) {
                    self.table(table, title)
                    if !table.totals.isEmpty { totals(table, title) }
                }
            }
        }
    }

    private func table(_ table: FigureTable, _ title: String) -> HTML {
        let (cells, columns) = (table.figure.definition.cells, table.columns)
        let unit = words.statistics.unit(table.figure.definition.unit)
        return tag(.table) {
            tag(.caption) { title }
            tag(.thead) {
                tag(.tr) {
                    tag(.th, .set(.scope, "col")) { words.statistics.period }
                    for cell in columns.map({ cells[$0] }) {
                        tag(.th, .set(.scope, "col")) { cell.isEmpty ? unit : words.statistics.cell(cell) }
                    }
                }
            }
            tag(.tbody) {
                for row in table.rows {
                    tag(.tr) {
                        tag(.th, .set(.scope, "row")) { label(row) }
                        for index in columns { tag(.td) { text(row.cells[index], table.figure.definition) } }
                    }
                }
            }
        }
    }

    /// A row for each cell with a total; the others, the own country's among them, have one together.
    private func totals(_ table: FigureTable, _ title: String) -> HTML {
        let (texts, definition) = (words.statistics, table.figure.definition)
        return tag(.table) {
            tag(.caption) { texts.wholePeriod(title) }
            tag(.thead) {
                tag(.tr) {
                    tag(.th, .set(.scope, "col")) { texts.country }
                    tag(.th, .set(.scope, "col")) { texts.unit(definition.unit) }
                }
            }
            tag(.tbody) {
                for index in table.ranking {
                    tag(.tr) {
                        tag(.th, .set(.scope, "row")) { texts.cell(definition.cells[index]) }
                        tag(.td) { text(table.totals[index], definition) }
                    }
                }
                if table.totals.contains(.withheld) {
                    tag(.tr) {
                        tag(.th, .set(.scope, "row")) { texts.otherCountries }
                        tag(.td) { texts.withheld }
                    }
                }
            }
        }
    }

    private func label(_ row: FigureTable.Row) -> String {
        let week = words.statistics.week(row.start.week.number, row.start.week.year)
        if row.isRest { return words.statistics.otherDays(week) }
        guard row.period == .day else { return week }
        let date = row.start.date
        return words.date(date.day, words.months[date.month - 1], date.year)
    }

    private func text(_ cell: FigureTable.Cell, _ definition: FigureDefinition) -> String {
        switch cell {
        case .known(let value):
            definition.rounding > 1 ? words.statistics.about(words.decimal(value)) : words.decimal(value)
        case .atLeast(let value): words.statistics.atLeast(words.decimal(value))
        case .withheld: words.statistics.withheld
        case .missing: words.statistics.notYet
        }
    }
}
