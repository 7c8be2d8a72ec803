import Calling
import Credentials
import FoundationEssentials
import HTTPContract
import HTTPTypes
import Postgres
import TestResultAPI
import TestSupport
import Testing

@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct LabResultsTests {
    private static let noon: Int32 = 1_779_796_800

    @Test("the verification server receives the result that a lab posted", arguments: [1, 2, 3])
    func posted(code: Int) async throws {
        let code = try #require(TestResultCode(rawValue: code))
        try await ResultStage.run { stage in
            try await stage.post([.numbered(1, code, sampleCollected: 1_779_700_000)], labID: "lab-7")
            let answer = try await stage.ask(.numbered(1))
            #expect(answer == ResultAnswer(testResult: code, sampleCollected: 1_779_700_000, labID: "lab-7"))
        }
    }

    @Test("a sample without a time counts as taken now, and a lab needs no name")
    func defaults() async throws {
        try await ResultStage.run { stage in
            try await stage.post([.numbered(1)])
            let answer = try await stage.ask(.numbered(1))
            #expect(answer == ResultAnswer(testResult: .pcrNegative, sampleCollected: Self.noon, labID: nil))
        }
    }

    @Test("a later result replaces an earlier one completely")
    func replaced() async throws {
        try await ResultStage.run { stage in
            try await stage.post([.numbered(1, .pcrPositive, sampleCollected: 5)], labID: "lab-7")
            try await stage.post([.numbered(1, .pcrNegative)])
            let answer = try await stage.ask(.numbered(1))
            #expect(answer == ResultAnswer(testResult: .pcrNegative, sampleCollected: Self.noon, labID: nil))
            #expect(try await stage.count() == 1)
        }
    }

    @Test("a redeemed result stays redeemed", arguments: [4, 9, 14])
    func redeemed(code: Int) async throws {
        try await ResultStage.run { stage in
            try await stage.post([.numbered(1, .pcrPositive)], labID: "lab-7")
            try await stage.execute("UPDATE test_results.result SET code = \(Int16(code))")
            try await stage.post([.numbered(1, .pcrPositive), .numbered(2, .pcrPositive)], labID: "lab-8")
            let answer = try await stage.ask(.numbered(1))
            #expect(answer.testResult == TestResultCode(rawValue: code)?.forApps)
            #expect(answer.labID == "lab-7")
            #expect(try await stage.ask(.numbered(2)).testResult == .pcrPositive)
        }
    }

    @Test("if a batch contains an id twice, the last one counts")
    func duplicates() async throws {
        try await ResultStage.run { stage in
            try await stage.post([.numbered(1, .pcrPositive), .numbered(2), .numbered(1, .pcrInvalid)])
            #expect(try await stage.ask(.numbered(1)).testResult == .pcrInvalid)
            #expect(try await stage.ask(.numbered(2)).testResult == .pcrNegative)
            #expect(try await stage.count() == 2)
        }
    }

    @Test("ids that differ in case, or in the date of birth, are different ids")
    func shapes() async throws {
        try await ResultStage.run { stage in
            let lower = try ResultID.numbered(1)
            let upper = try #require(ResultID(lower.text.uppercased()))
            let variant = try #require(ResultID("x" + lower.text.dropFirst()))
            try await stage.post([
                .init(id: lower, result: .pcrPositive, sampleCollected: nil),
                .init(id: upper, result: .pcrNegative, sampleCollected: nil),
                .init(id: variant, result: .pcrInvalid, sampleCollected: nil),
            ])
            #expect(try await stage.ask(lower).testResult == .pcrPositive)
            #expect(try await stage.ask(upper).testResult == .pcrNegative)
            #expect(try await stage.ask(variant).testResult == .pcrInvalid)
        }
    }

    @Test("a batch has 1 to 1000 results")
    func batchSize() async throws {
        try await ResultStage.run { stage in
            let many = try (0..<1001).map { try LabResults.Result.numbered($0) }
            await #expect(throws: CallError.refused(.badRequest)) { try await stage.post([]) }
            await #expect(throws: CallError.refused(.badRequest)) { try await stage.post(many) }
            #expect(try await stage.count() == 0)
            try await stage.post(Array(many.dropLast()))
            #expect(try await stage.count() == 1000)
        }
    }

    @Test("one unacceptable result causes the whole batch to be refused")
    func wholeOrNothing() async throws {
        let good = #"{"id":"\#(try ResultID.numbered(1).text)","result":2}"#
        let id = try ResultID.numbered(2).text
        var bad = (0...15).filter { !(1...3).contains($0) }.map { #"{"id":"\#(id)","result":\#($0)}"# }
        bad += [
            #"{"id":"\#(id.dropLast())","result":1}"#, #"{"id":"\#(id)"}"#, #"{"id":"\#(id)","result":1,"sc":"x"}"#,
        ]
        try await ResultStage.run { stage in
            try await stage.raw(.lab) { client in
                for result in bad {
                    let body = #"{"testResults":[\#(good),\#(result)]}"#
                    let answer = try await client.post("/api/v1/lab/results", body)
                    #expect(answer.status == 400, "\(result)")
                }
            }
            #expect(try await stage.count() == 0)
        }
    }

    @Test("a lab's name has at most 64 characters, none of them a control character")
    func labName() async throws {
        try await ResultStage.run { stage in
            // Characters as PostgreSQL counts them: this one is two.
            let flag = "\u{1F1E9}\u{1F1EA}"
            for name in ["", "lab 7", String(repeating: "é", count: 64), String(repeating: flag, count: 32)] {
                try await stage.post([.numbered(1)], labID: name)
                #expect(try await stage.ask(.numbered(1)).labID == name)
            }
            let refused = [
                String(repeating: "a", count: 65), String(repeating: flag, count: 33), "lab\u{0}7", "lab\n7", "\u{7F}",
            ]
            for name in refused {
                await #expect(throws: CallError.refused(.badRequest), "\(name.unicodeScalars.count)") {
                    try await stage.post([.numbered(2)], labID: name)
                }
            }
            #expect(try await stage.count() == 1)
        }
    }

    @Test(
        "a batch with a sample taken before 1970 or more than a day from now is refused",
        arguments: [
            (0, true), (noon, true), (noon + 86_400, true), (noon + 86_401, false), (.max, false), (-1, false),
            (.min, false),
        ])
    func sampleTime(seconds: Int32, isAccepted: Bool) async throws {
        try await ResultStage.run { stage in
            let batch = try [LabResults.Result.numbered(1), .numbered(2, sampleCollected: seconds)]
            if isAccepted {
                try await stage.post(batch)
                #expect(try await stage.ask(.numbered(2)).sampleCollected == seconds)
            } else {
                await #expect(throws: CallError.refused(.badRequest)) { try await stage.post(batch) }
                #expect(try await stage.count() == 0)
            }
        }
    }
}
