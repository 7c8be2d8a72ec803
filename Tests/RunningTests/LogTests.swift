import FoundationEssentials
import Logging
import Running
import TestSupport
import Testing

@Suite struct LogTests {
    private struct Line: Decodable {
        let time: String
        let level: String
        let logger: String
        let message: String
        let error: String?
        let metadata: [String: String]?
    }

    private struct Refusal: Error, CustomStringConvertible {
        var description: String { "password=hunter2" }
    }

    private func lines(_ log: CapturedLog) throws -> [Line] {
        try log.lines.map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
    }

    @Test("a line is one JSON object with a newline at its end")
    func shape() throws {
        let log = CapturedLog()
        log.logger(.info).info("quote \" backslash \\ newline \n bell \u{7} ü 🦠", metadata: ["http.route": "/a"])
        let line = try #require(lines(log).first)
        #expect(line.message == "quote \" backslash \\ newline \n bell \u{7} ü 🦠")
        #expect(line.level == "info")
        #expect(line.logger == "test")
        #expect(line.metadata == ["http.route": "/a"])
        #expect(line.error == nil)
        #expect(line.time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
        #expect(log.lines.count == 1)
        #expect(log.lines.first?.filter { $0 == "\n" }.count == 1)
        #expect(log.lines.first?.last == "\n")
    }

    @Test("numbers stay numbers, and keys are sorted")
    func values() {
        let log = CapturedLog()
        log.logger(.info).info(
            "m",
            metadata: [
                "c": .stringConvertible(0.5), "b": .stringConvertible(7), "a": ["x", "y"],
                "d": .stringConvertible(true),
            ])
        #expect(log.lines.first?.hasSuffix(#""metadata":{"a":["x","y"],"b":7,"c":0.5,"d":true}}"# + "\n") == true)
    }

    @Test("of an error only its type's name is written")
    func errors() throws {
        let log = CapturedLog()
        log.logger(.info).error("failed", error: Refusal())
        #expect(try lines(log).first?.error == "Refusal")
        #expect(log.lines.contains { $0.contains("hunter2") } == false)
    }

    @Test("lines below the level are not written")
    func level() {
        let log = CapturedLog()
        log.logger(.warning).info("m")
        #expect(log.lines.isEmpty)
    }
}
