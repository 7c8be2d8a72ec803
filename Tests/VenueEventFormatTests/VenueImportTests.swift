import FoundationEssentials
import TestSupport
import Testing
import VenueEventFormat
import Venues

@Suite struct VenueImportTests {
    /// 2026-05-26, at noon.
    private static let now = Date(timeIntervalSince1970: 1_779_796_800)
    private static let header = "# venue_id, start_time, end_time, message_type, optional_parameter"
    private static let line = #""9429300000007", "2026-05-25T10:00:00Z", "2026-05-25T12:30:00Z", "M2", """#

    private func read(_ lines: String...) throws(VenueImport.Problems) -> VenueImport {
        try VenueImport(lines.joined(separator: "\n"), enteredAt: Self.now)
    }

    private func problems(_ lines: String...) -> [VenueImport.Problem] {
        do throws(VenueImport.Problems) {
            _ = try VenueImport(lines.joined(separator: "\n"), enteredAt: Self.now)
            return []
        } catch {
            return error.all
        }
    }

    @Test func `the NHS's columns are read, with and without blanks, with any line ends`() throws {
        let file = try read(Self.header, Self.line, "")
        #expect(file.lines.count == 1)
        #expect(file.lines.first?.number.text == "9429300000007")
        #expect(file.lines.first?.severity == .test)
        #expect(file.lines.first?.window.startDate == Date(timeIntervalSince1970: 1_779_703_200))
        #expect(try read(Self.header, Self.line.filter { $0 != " " }) == file)
        #expect(try VenueImport("\u{FEFF}\(Self.header)\r\n\(Self.line)\r\n", enteredAt: Self.now) == file)
        #expect(try VenueImport(file.text, enteredAt: Self.now) == file)
    }

    @Test(arguments: [
        (#""942930000000", "2026-05-25T10:00:00Z", "2026-05-25T12:30:00Z", "M2", """#, VenueImport.Reason.number),
        (#""4WT59M5Y", "2026-05-25T10:00:00Z", "2026-05-25T12:30:00Z", "M2", """#, .number),
        (#""9429300000007", "2026-05-25 10:00", "2026-05-25T12:30:00Z", "M2", """#, .time),
        (#""9429300000007", "2026-05-25T10:00:00+02:00", "2026-05-25T12:30:00Z", "M2", """#, .time),
        (#""9429300000007", "2026-02-30T10:00:00Z", "2026-05-25T12:30:00Z", "M2", """#, .time),
        (#""9429300000007", "2026-05-25T10:01:00Z", "2026-05-25T12:30:00Z", "M2", """#, .offGrid),
        (#""9429300000007", "2026-05-25T12:30:00Z", "2026-05-25T12:30:00Z", "M2", """#, .reversed),
        (#""9429300000007", "2026-05-24T10:00:00Z", "2026-05-25T12:30:00Z", "M2", """#, .tooLong),
        (#""9429300000007", "2026-05-05T10:00:00Z", "2026-05-05T12:30:00Z", "M2", """#, .tooOld),
        (#""9429300000007", "2026-05-26T10:00:00Z", "2026-05-26T12:10:00Z", "M2", """#, .future),
        (#""9429300000007", "2026-05-25T10:00:00Z", "2026-05-25T12:30:00Z", "M3", """#, .type),
        (#""9429300000007", "2026-05-25T10:00:00Z", "2026-05-25T12:30:00Z", "M2", "Ada Amt""#, .parameter),
        (#""9429300000007", "2026-05-25T10:00:00Z", "2026-05-25T12:30:00Z", "M2""#, .columns),
        (#""9429300000007", "2026-05-25T10:00:00Z", "2026-05-25T12:30:00Z", "M2", "", """#, .columns),
        (#"9429300000007, 2026-05-25T10:00:00Z, 2026-05-25T12:30:00Z, M2,"#, .columns),
        (#""9429300000007", "2026-05-25T10:00:00Z", "2026-05-25T12:30:00Z", "M2", """"#, .columns),
    ]) func `a wrong line is named with its reason, and nothing is taken`(line: String, reason: VenueImport.Reason) {
        #expect(problems(Self.header, Self.line, line) == [.init(line: 3, reason: reason)])
    }

    @Test func `all wrong lines are named, up to twenty`() {
        #expect(
            problems(Self.header, "x", Self.line, "y").map(\.line) == [2, 4])
        let many = [Self.header] + [String](repeating: "x", count: 100)
        #expect(throws: VenueImport.Problems.self) {
            try VenueImport(many.joined(separator: "\n"), enteredAt: Self.now)
        }
        do throws(VenueImport.Problems) {
            _ = try VenueImport(many.joined(separator: "\n"), enteredAt: Self.now)
        } catch {
            #expect(error.all.count == VenueImport.problemLimit)
        }
    }

    @Test func `a file needs its header, an event, no event twice, and fifty events at most`() throws {
        #expect(problems(Self.line) == [.init(line: 1, reason: .header)])
        #expect(problems("") == [.init(line: 1, reason: .header)])
        #expect(problems(Self.header) == [.init(line: 1, reason: .count)])
        #expect(problems(Self.header, Self.line, Self.line) == [.init(line: 3, reason: .repeated)])
        let lines = (0...VenueImport.limit).map { number in
            let time = Self.now.addingTimeInterval(Double(number - 200) * 600)
            let end = time.addingTimeInterval(600)
            return #""9429300000007","\#(time.formatted(.iso8601))","\#(end.formatted(.iso8601))","M1","""#
        }
        let all = ([Self.header] + lines).joined(separator: "\n")
        #expect(throws: VenueImport.Problems.self) { try VenueImport(all, enteredAt: Self.now) }
        let fewer = ([Self.header] + lines.dropLast()).joined(separator: "\n")
        #expect(try VenueImport(fewer, enteredAt: Self.now).lines.count == VenueImport.limit)
    }

    @Test func `a mutated file is taken whole or refused, and reads as what it says`() {
        var randomness = SeededGenerator(seed: 0x6373_7600)
        let file = "\(Self.header)\n\(Self.line)\n"
        var taken = 0
        for _ in 0..<20_000 {
            guard let read = try? VenueImport(file.mutated(using: &randomness), enteredAt: Self.now) else { continue }
            taken += 1
            #expect((1...VenueImport.limit).contains(read.lines.count))
            #expect((try? VenueImport(read.text, enteredAt: Self.now)) == read)
        }
        #expect((1..<20_000).contains(taken))
    }
}
