import Glibc
import Testing

@testable import HTTP2

/// Each requirement of RFC 9113 and RFC 7541 on a server, tried by a client that writes frames by hand.
///
/// The table is in `Rules`. A case says exactly what the server does; where that isn't what the section names first, it says why
/// the server may.
@Suite("A server and the rules of HTTP/2")
struct RuleTests {
    @Test("a rule that is broken ends the stream or the connection, and one that is kept doesn't", arguments: Trial.all)
    func rule(_ trial: Trial) {
        let objections = trial.objections(to: trial.expected)
        #expect(objections.isEmpty, "\(objections.joined(separator: "; "))")
    }

    /// A request as browsers send it, with priority; two whose frames take turns; and one with all that a request may have.
    static let requests: [[UInt8]] = [
        Rule.join(
            Rule.frame(Frame.headers, 0x24, 1, [0x80, 0, 0, 0, 255] + block(request())), data(1, "rule")),
        Rule.join(
            Rule.frame(Frame.headers, 0x24, 1, [0x80, 0, 0, 0, 255] + block(request())), headers(3, request()),
            data(1, "ru", end: false), data(3, "other"), headers(5, request(), end: true), data(1, "le")),
        Rule.join(
            Rule.frame(Frame.headers, 0x28, 1, [3, 0, 0, 0, 0, 16] + block(request()) + Rule.zeros(3)),
            Rule.frame(Frame.continuation, Frame.endHeaders, 1, block([("foo", "bar")])),
            Rule.frame(Frame.data, Frame.padded, 1, [2] + Array("rule".utf8) + Rule.zeros(2)),
            headers(1, [("foo", "bar")], end: true)),
    ]

    @Test("a request is read wherever the bytes are cut", arguments: requests)
    func cut(_ request: [UInt8]) {
        for position in 1..<request.count {
            let stage = RuleStage()
            stage.send(preface + settings())
            stage.send(Array(request[..<position]))
            stage.send(Array(request[position...]))
            #expect(stage.status(1) == "201", "cut at \(position)")
            #expect(stage.requests[1]?.body == Array("rule".utf8))
        }
    }

    @Test("what differs from the first words of a section has a reason, and only that")
    func licences() {
        for trial in Trial.all {
            let differs = trial.expected != trial.rule.demands
            #expect(differs == (trial.trial.licence != nil), "\(trial)")
            switch (trial.trial.licence, trial.rule.demands, trial.expected) {
            case (.connectionInstead, .reset, .goAway), (.otherCode, .goAway, .goAway), (.answered, .reset, .answered),
                (.minimal, .goAway, .nothing), (.suspicious, _, .goAway(.enhanceYourCalm)),
                (.suspicious, _, .answered(431)), (nil, _, _), (.deviation, _, _):
                break
            default: Issue.record("\(trial): the reason isn't one for this")
            }
        }
    }

    @Test("a requirement that isn't tried here names the file that tries it, or a reason")
    func elsewhere() {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        for (section, text, file, reason) in Rule.elsewhere {
            #expect(file != nil || !reason.isEmpty, "\(section), \(text)")
            if let file { #expect(access("/\(root)/\(file)", R_OK) == 0, "\(section), \(text): there is no \(file)") }
        }
    }

    @Test("each case has a name of its own")
    func names() {
        let names = Trial.all.map(\.description)
        #expect(Set(names).count == names.count)
    }

    /// The control: whatever a case sees, another expectation is objected to.
    @Test(
        "a wrong expectation is reported",
        arguments: Trial.all.enumerated().filter { $0.offset % 5 == 0 }.map(\.element))
    func control(_ trial: Trial) {
        let wrong: [Rule.Reaction] = [
            .answered(299), .reset(.settingsTimeout), .goAway(.settingsTimeout), .nothing,
        ]
        for expectation in wrong where expectation != trial.expected {
            #expect(!trial.objections(to: expectation).isEmpty)
        }
    }

    @Test("what a server mustn't send is objected to", arguments: Conduct.rules.indices)
    func conduct(_ number: Int) {
        let (section, text, breach) = Conduct.rules[number]
        #expect(Conduct.objections(to: breach).contains { $0.hasPrefix("\(section):") }, "\(text)")
    }
}
