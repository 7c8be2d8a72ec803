import FoundationEssentials
import Statistics

/// A released value with how it was released.
struct ReleasedRow: Sendable, Equatable {
    let value: ReleasedValue
    let rounding: Int
    /// The version of the figure's definition.
    let definition: Int
    /// The day on which it was released.
    let released: LocalDay
}

/// One row of the files. Members are only ever added.
private struct FileRow: Encodable {
    let figure: String
    /// A part of the figure, such as `test`; empty if it has none.
    let cell: String
    let unit: String
    /// The first day, by the authority's local time.
    let start: String
    /// 1 or 7.
    let days: Int
    /// Null if it is withheld.
    let value: Int?
    let withheld: Bool
    let rounding: Int
    let definition: Int
    let released: String

    enum CodingKeys: String, CodingKey, CaseIterable {
        case figure, cell, unit, start, days, value, withheld, rounding, definition, released
    }

    init(_ row: ReleasedRow) {
        figure = row.value.figure.rawValue
        cell = row.value.cell
        unit = row.value.figure.definition.unit.rawValue
        start = "\(row.value.start)"
        days = Int(row.value.period.rawValue)
        value = row.value.value
        withheld = row.value.value == nil
        rounding = row.rounding
        definition = row.definition
        released = "\(row.released)"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(figure, forKey: .figure)
        try container.encode(cell, forKey: .cell)
        try container.encode(unit, forKey: .unit)
        try container.encode(start, forKey: .start)
        try container.encode(days, forKey: .days)
        // A missing member and a null one differ for some readers.
        try container.encode(value, forKey: .value)
        try container.encode(withheld, forKey: .withheld)
        try container.encode(rounding, forKey: .rounding)
        try container.encode(definition, forKey: .definition)
        try container.encode(released, forKey: .released)
    }

    /// Its columns in CSV, in the order of `CodingKeys`. All are words, dates and numbers, none of which a spreadsheet program
    /// takes for a formula.
    var line: String {
        [
            figure, cell, unit, start, "\(days)", value.map { "\($0)" } ?? "", "\(withheld)", "\(rounding)",
            "\(definition)",
            released,
        ].joined(separator: ",") + "\r\n"
    }
}

/// The released values as files.
enum FigureFile {
    /// A table for spreadsheet programs (RFC 4180), with a line of names.
    static func csv(_ rows: [ReleasedRow]) -> String {
        FileRow.CodingKeys.allCases.map(\.rawValue).joined(separator: ",") + "\r\n"
            + rows.map { FileRow($0).line }.joined()
    }

    /// An object with the list `values`.
    static func json(_ rows: [ReleasedRow]) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return try encoder.encode(["values": rows.map(FileRow.init)])
    }
}
