import Foundation
import TestSupport
import Testing

/// The checker must find what it looks for: for every promise, a history that breaks it.
@Suite struct HistoryCheckerTests {
    typealias Violation = HistoryChecker.Violation

    /// One call; where `during` is given, it runs from the first to the second place, else all alone.
    struct Line: Sendable {
        let action: History.Action
        let outcome: History.Outcome
        var during: ClosedRange<Int>?
        /// Seconds since the history began.
        var at: Double = 0

        init(
            _ action: History.Action, _ outcome: History.Outcome, during: ClosedRange<Int>? = nil, at: Double = 0
        ) {
            self.action = action
            self.outcome = outcome
            self.during = during
            self.at = at
        }
    }

    struct Story: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let lines: [Line]
        let violations: Set<Violation>

        init(_ name: String, _ violations: Set<Violation> = [], _ lines: Line...) {
            testDescription = name
            self.lines = lines
            self.violations = violations
        }
    }

    private static let day = 86_400.0
    private static func register(_ key: String) -> History.Action { .register(proof: "guid", key: key) }
    private static func reserve(_ tag: String) -> History.Action { .reserve(tan: "tan", tag: tag) }
    private static func confirm(_ tag: String) -> History.Action { .confirm(tan: "tan", tag: tag) }
    private static func redeem(_ tag: String) -> History.Action { .redeem(tan: "tan", tag: tag) }
    private static let takeTAN = History.Action.takeTAN(token: "token")
    private static func post(_ version: Int) -> History.Action { .postResult(id: "id", version: version) }
    private static let read = History.Action.readResult(id: "id")
    private static let registered = Line(register("a"), .ok("token"))
    private static let issued = Line(takeTAN, .ok("tan"))

    static let broken: [Story] = [
        Story(
            "two phones register one GUID", [.twoRegistrations(proof: "guid")],
            registered, Line(register("b"), .ok("other"))),
        Story(
            "a repeat is given another token", [.twoRegistrations(proof: "guid")],
            registered, Line(register("a"), .ok("other"))),
        Story(
            "two phones share a token", [.twoRegistrations(proof: "guid")],
            registered, Line(register("b"), .ok("token"))),
        Story(
            "one token for two GUIDs", [.sharedToken("token")],
            registered, Line(.register(proof: "other", key: "a"), .ok("token"))),
        Story(
            "an acknowledged registration is lost", [.refusedRegistration(proof: "guid")],
            registered, Line(register("a"), .fail)),
        Story(
            "an acknowledged registration is lost to another phone, which is refused as well",
            [.refusedRegistration(proof: "guid")],
            registered, Line(register("b"), .fail), Line(register("a"), .fail)),
        Story(
            "a lost answer burns a GUID", [.refusedRegistration(proof: "guid")],
            Line(register("a"), .unknown), Line(register("a"), .fail)),
        Story(
            "a session goes a day early", [.refusedRegistration(proof: "guid")],
            registered, Line(register("a"), .fail, at: 20 * day)),
        Story(
            "two TANs for one token", [.twoTANs(token: "token")],
            registered, issued, Line(takeTAN, .ok("other"))),
        Story(
            "two tokens with one TAN", [.sharedTAN("tan")],
            issued, Line(.takeTAN(token: "other"), .ok("tan"))),
        Story(
            "a lost answer burns a TAN", [.refusedTAN(token: "token")],
            registered, Line(takeTAN, .unknown), Line(takeTAN, .fail)),
        Story(
            "a reservation alone spends a TAN", [.refusedTAN(token: "token")],
            registered, issued, Line(reserve("x"), .ok()), Line(takeTAN, .fail)),
        Story(
            "one TAN for two uploads", [.twoUploads(tan: "tan")],
            issued, Line(reserve("x"), .ok()), Line(reserve("y"), .ok())),
        Story(
            "one TAN for two uploads at the same time", [.twoUploads(tan: "tan")],
            issued, Line(reserve("x"), .ok(), during: 10...13), Line(reserve("y"), .ok(), during: 11...12)),
        Story(
            "one TAN for two uploads in the two ways", [.twoUploads(tan: "tan")],
            issued, Line(reserve("x"), .ok()), Line(redeem("y"), .ok())),
        Story(
            "a confirmation out of nothing", [.unreservedConfirmation(tan: "tan")], issued, Line(confirm("x"), .ok())),
        Story(
            "a confirmation of a refused reservation", [.twoUploads(tan: "tan"), .unreservedConfirmation(tan: "tan")],
            issued, Line(reserve("x"), .ok()), Line(reserve("y"), .fail), Line(confirm("x"), .ok()),
            Line(confirm("y"), .ok())),
        Story(
            "an acknowledged reservation is forgotten", [.refusedUpload(tan: "tan")],
            issued, Line(reserve("x"), .ok()), Line(reserve("y"), .fail), Line(reserve("x"), .fail)),
        Story(
            "a lost answer burns a reservation", [.refusedUpload(tan: "tan")],
            issued, Line(reserve("x"), .unknown), Line(reserve("x"), .fail)),
        Story(
            "a lost answer burns a TAN that is used up at once", [.refusedUpload(tan: "tan")],
            issued, Line(redeem("x"), .unknown), Line(redeem("x"), .fail)),
        Story(
            "an acknowledged reservation can't be confirmed", [.refusedConfirmation(tan: "tan")],
            issued, Line(reserve("x"), .ok()), Line(confirm("x"), .fail)),
        Story(
            "a confirmation is forgotten at once", [.refusedUpload(tan: "tan")],
            issued, Line(reserve("x"), .ok()), Line(confirm("x"), .ok()), Line(reserve("x"), .fail, at: day - 1)),
        Story(
            "a TAN that has expired isn't replaced", [.refusedTAN(token: "token")],
            registered, issued, Line(takeTAN, .fail, at: 2 * day)),
        Story("an acknowledged result is lost", [.lostResult(id: "id")], Line(post(1), .ok()), Line(read, .ok())),
        Story(
            "an older result is back", [.staleResult(id: "id")],
            Line(post(1), .ok()), Line(post(2), .ok()), Line(read, .ok("1"))),
        Story(
            "a result of another test", [.inventedResult(id: "id")],
            Line(post(1), .ok()), Line(.postResult(id: "other", version: 2), .ok()), Line(read, .ok("2"))),
        Story("a refused result is stored", [.inventedResult(id: "id")], Line(post(1), .fail), Line(read, .ok("1"))),
    ]

    static let kept: [Story] = [
        Story(
            "a whole life with repeats", [],
            registered, Line(register("a"), .ok("token")), Line(register("b"), .fail), issued, issued,
            Line(reserve("x"), .unknown), Line(reserve("x"), .ok()), Line(reserve("y"), .fail),
            Line(confirm("x"), .ok()),
            Line(confirm("x"), .ok()), Line(reserve("x"), .ok()), Line(takeTAN, .fail),
            Line(reserve("x"), .fail, at: day),
            Line(register("a"), .fail, at: 21 * day)),
        Story(
            "the lost call of another phone won", [],
            Line(register("b"), .unknown), Line(register("a"), .fail), Line(register("b"), .ok("token"))),
        Story(
            "a rival at the same time", [],
            issued, Line(reserve("x"), .fail, during: 10...13), Line(reserve("y"), .ok(), during: 11...12)),
        Story(
            "used up at once, and again", [],
            registered, issued, Line(redeem("x"), .unknown), Line(redeem("x"), .ok()), Line(reserve("y"), .fail),
            Line(takeTAN, .fail)),
        Story("a TAN that has expired", [], registered, issued, Line(reserve("x"), .fail, at: day)),
        Story(
            "results one after another", [],
            Line(read, .ok()), Line(post(1), .unknown), Line(read, .ok("1")), Line(post(2), .ok()), Line(read, .ok("2"))
        ),
        Story(
            "a result that is on its way", [],
            Line(post(1), .ok(), during: 10...13), Line(read, .ok(), during: 11...12)),
    ]

    @Test("a history that breaks a promise is detected", arguments: broken)
    func wrong(story: Story) {
        #expect(HistoryChecker(Self.calls(story.lines)).violations == story.violations)
    }

    @Test("a history that breaks no promise passes", arguments: kept)
    func right(story: Story) {
        #expect(HistoryChecker(Self.calls(story.lines)).violations == [])
    }

    @Test("a second TAN is valid if registrations have two, but not before the first is used")
    func twoTANs() {
        let second = Line(Self.takeTAN, .ok("second"))
        let used = [
            Self.registered, Self.issued, Line(Self.reserve("x"), .ok()), Line(Self.confirm("x"), .ok()), second,
        ]
        #expect(HistoryChecker(Self.calls(used), tansPerRegistration: 2).violations == [])
        #expect(HistoryChecker(Self.calls(used)).violations == [.twoTANs(token: "token")])
        let unused = [Self.registered, Self.issued, second]
        #expect(HistoryChecker(Self.calls(unused), tansPerRegistration: 2).violations == [.twoTANs(token: "token")])
    }

    @Test("TANs that replace one another count as one")
    func replaced() {
        let history = [
            Self.registered, Self.issued, Line(Self.takeTAN, .ok("tan'"), at: Self.day),
            Line(Self.reserve("x"), .ok(), at: Self.day),
        ]
        let rival = Line(.reserve(tan: "tan'", tag: "y"), .ok(), at: Self.day)
        func judged(_ lines: [Line]) -> Set<Violation> {
            HistoryChecker(Self.calls(lines), upload: { $0.replacing("'", with: "") }).violations
        }
        #expect(judged(history) == [])
        #expect(judged(history + [rival]) == [.twoUploads(tan: "tan")])
        #expect(HistoryChecker(Self.calls(history)).violations == [.twoTANs(token: "token")])
    }

    @Test("a teleTAN may be refused once it has expired, and not before")
    func expiry() {
        func violations(at seconds: Double) -> Set<Violation> {
            HistoryChecker(
                Self.calls([Line(Self.register("a"), .fail, at: seconds)]),
                expiries: ["guid": Self.start.addingTimeInterval(3600)]
            ).violations
        }
        #expect(violations(at: 3600) == [])
        #expect(violations(at: 3599) == [.refusedRegistration(proof: "guid")])
    }

    private static let start = Date(timeIntervalSince1970: 1_779_796_800)

    private static func calls(_ lines: [Line]) -> [History.Call] {
        lines.enumerated().map { number, line in
            let places = line.during ?? (2 * number)...(2 * number + 1)
            let instant = start.addingTimeInterval(line.at)
            return History.Call(
                action: line.action, invoked: .init(position: places.lowerBound, instant: instant),
                returned: .init(position: places.upperBound, instant: instant), outcome: line.outcome)
        }
    }
}
