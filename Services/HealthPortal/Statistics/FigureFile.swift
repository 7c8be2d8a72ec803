import FoundationEssentials
import Statistics

/// One released value with all that the files say about it. Members are only ever added.
struct ReleasedRecord: Sendable, Encodable, Equatable {
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
    /// The version of the definition.
    let definition: Int
    /// The day on which it was released.
    let released: String

    enum CodingKeys: String, CodingKey, CaseIterable {
        case figure, cell, unit, start, days, value, withheld, rounding, definition, released
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
    fileprivate var line: String {
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
    static func csv(_ records: [ReleasedRecord]) -> String {
        ReleasedRecord.CodingKeys.allCases.map(\.rawValue).joined(separator: ",") + "\r\n"
            + records.map(\.line).joined()
    }

    /// An object with the list `values`.
    static func json(_ records: [ReleasedRecord]) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return try encoder.encode(["values": records])
    }
}
