package import FoundationEssentials
package import Venues

/// Many events at once, in the columns of the NHS's upload of identified risk venues: `venue_id`, `start_time`, `end_time`,
/// `message_type`, `optional_parameter` (ukhsa-collaboration/covid19-app-system-public, `risky-venue-upload.md`).
///
/// The first line is a comment with these names. Values are in double quotes; blanks around them don't count. `venue_id` is a Global
/// Location Number; instants are UTC; `message_type` is `M1` or `M2`; `optional_parameter` is empty, as there is no free text. A file
/// is taken as a whole or not at all. Unlike the NHS's, it adds to what is published and replaces nothing.
package struct VenueImport: Sendable, Equatable {
    /// In the order of the file.
    package let lines: [Line]

    /// One event to be.
    package struct Line: Sendable, Hashable {
        /// The venue.
        package let number: GlobalLocationNumber
        /// When.
        package let window: VenueWindow
        /// `M1` or `M2`.
        package let severity: VenueSeverity
    }

    /// Why a file isn't taken.
    package struct Problem: Error, Hashable, Sendable {
        /// From 1.
        package let line: Int
        /// What is wrong with it.
        package let reason: Reason

        /// Creates a problem of a line.
        package init(line: Int, reason: Reason) {
            self.line = line
            self.reason = reason
        }
    }

    /// What is wrong with a line.
    package enum Reason: Hashable, Sendable, CaseIterable {
        /// The first line doesn't name the columns.
        case header
        /// It hasn't five values in double quotes.
        case columns
        /// It isn't thirteen digits of which the last checks the others.
        case number
        /// An instant isn't `2026-05-26T12:00:00Z`.
        case time
        /// A window as ``VenueWindow/Problem`` says.
        case offGrid, reversed, tooLong, tooOld, future
        /// Neither `M1` nor `M2`.
        case type
        /// The last value isn't empty.
        case parameter
        /// Another line says the same.
        case repeated
        /// There is no event, or more than ``VenueImport/limit``.
        case count
    }

    /// The most events of a file.
    package static let limit = 50
    /// The problems that are told at most; more help nobody.
    package static let problemLimit = 20
    private static let header = "venue_id,start_time,end_time,message_type,optional_parameter"

    /// Reads a file.
    /// - Throws: ``Problems``, at least one.
    package init(_ text: String, enteredAt now: Date) throws(Problems) {
        // Line ends of any system; a mark of the byte order at the beginning, as spreadsheets write it.
        let text = text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
        let rows = text.split(omittingEmptySubsequences: false) { $0.isNewline }
        guard let first = rows.first, first.first == "#", Self.names(first.dropFirst()) == Self.header else {
            throw Problems([Problem(line: 1, reason: .header)])
        }
        var (lines, problems): ([Line], [Problem]) = ([], [])
        for (number, row) in rows.enumerated().dropFirst() where !row.allSatisfy({ $0 == " " }) {
            guard lines.count < Self.limit else {
                problems.append(Problem(line: number + 1, reason: .count))
                break
            }
            do throws(Reason) {
                let line = try Line(row, enteredAt: now)
                guard !lines.contains(where: { $0.number == line.number && $0.window == line.window }) else {
                    throw .repeated
                }
                lines.append(line)
            } catch {
                problems.append(Problem(line: number + 1, reason: error))
                guard problems.count < Self.problemLimit else { break }
            }
        }
        if lines.isEmpty, problems.isEmpty { problems = [Problem(line: 1, reason: .count)] }
        guard problems.isEmpty else { throw Problems(problems) }
        self.lines = lines
    }

    /// What is wrong with a file, by line.
    package struct Problems: Error, Equatable {
        /// At least one.
        package let all: [Problem]

        init(_ all: [Problem]) { self.all = all }
    }

    private static func names(_ row: Substring) -> String { String(row.filter { $0 != " " && $0 != "\"" }) }
}

extension VenueImport.Reason: Error {}

extension VenueImport.Line {
    fileprivate init(_ row: Substring, enteredAt now: Date) throws(VenueImport.Reason) {
        guard let values = Self.values(row), values.count == 5 else { throw .columns }
        guard let number = GlobalLocationNumber(values[0]) else { throw .number }
        guard let start = UTCTime.date(values[1]), let end = UTCTime.date(values[2]) else { throw .time }
        do throws(VenueWindow.Problem) {
            window = try VenueWindow(from: start, to: end, enteredAt: now)
        } catch {
            throw VenueImport.Reason(error)
        }
        guard let severity = VenueSeverity.allCases.first(where: { $0.riskyVenueType == values[3] }) else {
            throw .type
        }
        guard values[4].isEmpty else { throw .parameter }
        self.number = number
        self.severity = severity
    }

    /// Values in double quotes between commas. No value that is taken has a quote or a comma, so there is no escape.
    private static func values(_ row: Substring) -> [String]? {
        var values: [String] = []
        for part in row.split(separator: ",", omittingEmptySubsequences: false) {
            let bare = part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()
            guard bare.count >= 2, bare.first == "\"", bare.last == "\"" else { return nil }
            let value = bare.dropFirst().dropLast()
            guard !value.contains("\"") else { return nil }
            values.append(String(value))
        }
        return values
    }
}

extension VenueImport.Reason {
    fileprivate init(_ problem: VenueWindow.Problem) {
        self =
            switch problem {
            case .offGrid: .offGrid
            case .reversed: .reversed
            case .tooLong: .tooLong
            case .tooOld: .tooOld
            case .future: .future
            }
    }
}

extension VenueImport {
    /// The file again, in its strict form.
    package var text: String {
        let head = "# venue_id, start_time, end_time, message_type, optional_parameter\n"
        return head
            + lines.map { line in
                let values = [
                    line.number.text, UTCTime.text(line.window.startDate), UTCTime.text(line.window.endDate),
                    line.severity.riskyVenueType, "",
                ]
                return values.map { "\"\($0)\"" }.joined(separator: ", ") + "\n"
            }.joined()
    }
}
