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
struct CentreResultsTests {
    private static let noon: Int32 = 1_779_796_800

    @Test("a centre posts the id in the QR code; the app finds the result under its hash", arguments: Centre.all)
    func posted(centre: Centre) async throws {
        try await ResultStage.run { stage in
            let id = try CentreTestID.numbered(1)
            // Redeemed comes last in the list: nothing replaces it.
            for (offset, code) in centre.family.codes.enumerated() {
                let result = CentreResults.Result(id: id, result: code, sampleCollected: 1_779_700_000)
                try await stage.post([result], labID: "centre-7", from: centre)
                let told = try await stage.ask(id, from: centre)
                #expect(told == ResultAnswer(testResult: code, sampleCollected: 1_779_700_000, labID: "centre-7"))
                let app = try await stage.ask(id.scanned)
                #expect(app.testResult.rawValue == (centre.family == .pocnat ? offset : code.rawValue))
                #expect(app.sampleCollected == 1_779_700_000)
                #expect(app.labID == "centre-7")
            }
            #expect(try await stage.count() == 1)
        }
    }

    @Test("the stored id is SHA-256 of the id as sent, as PostgreSQL computes it, and the original is stored nowhere")
    func storedName() async throws {
        try await ResultStage.run { stage in
            let lower = try CentreTestID.numbered(1).text
            let texts = [lower, lower.uppercased(), "x" + lower.dropFirst(), "X" + lower.dropFirst()]
            for text in texts {
                let id = try #require(CentreTestID(text))
                try await stage.post([.init(id: id, result: .quickPositive, sampleCollected: nil)], from: .quick)
            }
            let named = try await TestPostgres.withClient(stage.database.superuserConnection) { client in
                try await client.session { session in
                    try session.row(
                        """
                        SELECT count(*) FROM test_results.result
                        WHERE id IN (SELECT encode(sha256(text::bytea), 'hex') FROM unnest(\(texts)) AS sent (text))
                        """, as: Int.self)
                }
            }
            #expect(named == texts.count)
            let rows = try await stage.rows()
            #expect(rows.count == texts.count)
            for text in texts { #expect(!rows.contains { $0.contains(text) }) }
        }
    }

    @Test(
        "an unknown id is always answered as pending and leaves no trace", arguments: Centre.all
    )
    func unknown(centre: Centre) async throws {
        try await ResultStage.run { stage in
            let id = try CentreTestID.numbered(1)
            for _ in 0..<3 {
                let answer = try await stage.ask(id, from: centre)
                #expect(answer == centre.nothing)
            }
            try await withThrowingTaskGroup(of: ResultAnswer.self) { group in
                for _ in 0..<16 { group.addTask { try await stage.ask(id, from: centre) } }
                for try await answer in group { #expect(answer == centre.nothing) }
            }
            #expect(try await stage.count() == 0)
        }
    }

    @Test("software that hashes the id before asking finds the result as well", arguments: Centre.all)
    func hashedQuestion(centre: Centre) async throws {
        try await ResultStage.run { stage in
            try await stage.post([.numbered(1, centre.code(.pcrPositive))], labID: "centre-7", from: centre)
            let hashed = try #require(CentreTestID(CentreTestID.numbered(1).scanned.text))
            let answer = try await stage.ask(hashed, from: centre)
            let expected = ResultAnswer(
                testResult: centre.code(.pcrPositive), sampleCollected: Self.noon, labID: "centre-7")
            #expect(answer == expected)
        }
    }

    @Test("if both forms of an id name a result, the one posted under it counts", arguments: Centre.all)
    func hashedIsAnIDToo(centre: Centre) async throws {
        try await ResultStage.run { stage in
            let first = try CentreTestID.numbered(1)
            let second = try #require(CentreTestID(first.scanned.text))
            try await stage.post(
                [.init(id: first, result: centre.code(.pcrPositive), sampleCollected: nil)], from: centre)
            try await stage.post(
                [.init(id: second, result: centre.code(.pcrNegative), sampleCollected: nil)], from: centre)
            #expect(try await stage.ask(first, from: centre).testResult == centre.code(.pcrPositive))
            #expect(try await stage.ask(second, from: centre).testResult == centre.code(.pcrNegative))
            #expect(try await stage.count() == 2)
        }
    }

    @Test("a test has one id: the unhashed one gives an app no second result", arguments: Centre.all)
    func oneName(centre: Centre) async throws {
        try await ResultStage.run { stage in
            let id = try CentreTestID.numbered(1)
            try await stage.post([.init(id: id, result: centre.code(.pcrPositive), sampleCollected: nil)], from: centre)
            #expect(try await stage.ask(id.scanned).testResult.isPositive)
            let unhashed = try #require(ResultID(id.text))
            let twice = try #require(CentreTestID(id.scanned.text)).scanned
            #expect(try await stage.ask(unhashed).testResult == .pcrPending)
            #expect(try await stage.ask(twice).testResult == .pcrPending)
        }
    }

    @Test("a centre learns nothing about other kinds of test", arguments: Centre.all)
    func otherFamilies(centre: Centre) async throws {
        try await ResultStage.run { stage in
            let ids = try (1...2).map(CentreTestID.numbered)
            try await stage.post(
                [.init(id: ids[0].scanned, result: .pcrPositive, sampleCollected: nil)], labID: "lab-7")
            for other in Centre.all where other.family != centre.family {
                let result = CentreResults.Result(id: ids[1], result: other.code(.pcrPositive), sampleCollected: nil)
                try await stage.post([result], labID: "centre-7", from: other)
            }
            for id in ids {
                for form in [id, try #require(CentreTestID(id.scanned.text))] {
                    let answer = try await stage.ask(form, from: centre)
                    #expect(answer == centre.nothing)
                }
            }
        }
    }

    @Test(
        "one code of another kind of test causes the whole batch to be refused", arguments: Centre.all)
    func wholeOrNothing(centre: Centre) async throws {
        let good = #"{"id":"\#(try CentreTestID.numbered(1).text)","result":\#(centre.family.codes[2].rawValue)}"#
        let id = try CentreTestID.numbered(2).text
        let own = centre.family.codes.map(\.rawValue)
        var bad = (-1...15).filter { !own.contains($0) }.map { #"{"id":"\#(id)","result":\#($0)}"# }
        bad += [
            #"{"id":"\#(id.dropLast())","result":\#(own[1])}"#, #"{"id":"\#(id)"}"#,
            #"{"id":"\#(id)","result":\#(own[1]),"sc":-1}"#,
            #"{"id":"\#(id)","result":\#(own[1]),"sc":\#(Self.noon + 86_401)}"#,
            #"{"id":"\#(id)","result":\#(own[1]),"sc":1779796800000}"#,
        ]
        try await ResultStage.run { stage in
            try await stage.raw(centre.role) { client in
                for result in bad {
                    let body = #"{"testResults":[\#(good),\#(result)]}"#
                    let answer = try await client.post(centre.results.route.path, body)
                    #expect(answer.status == 400, "\(result)")
                    #expect(answer.body.isEmpty)
                }
            }
            #expect(try await stage.count() == 0)
        }
    }

    @Test("a redeemed result stays unchanged, whoever posts", arguments: Centre.all)
    func redeemed(centre: Centre) async throws {
        try await ResultStage.run { stage in
            try await stage.post([.numbered(1, centre.family.redeemed)], labID: "centre-7", from: centre)
            for code in centre.family.codes {
                try await stage.post([.numbered(1, code), .numbered(2, code)], labID: "centre-8", from: centre)
            }
            try await stage.post([
                .init(id: CentreTestID.numbered(1).scanned, result: .pcrPositive, sampleCollected: nil)
            ])
            let answer = try await stage.ask(.numbered(1), from: centre)
            #expect(answer.testResult == centre.family.redeemed)
            #expect(answer.labID == "centre-7")
        }
    }

    @Test("if a batch contains an id twice, the last one counts", arguments: Centre.all)
    func duplicates(centre: Centre) async throws {
        try await ResultStage.run { stage in
            try await stage.post(
                [
                    .numbered(1, centre.code(.pcrPositive)), .numbered(2, centre.code(.pcrNegative)),
                    .numbered(1, centre.code(.pcrInvalid)),
                ], from: centre)
            #expect(try await stage.ask(.numbered(1), from: centre).testResult == centre.code(.pcrInvalid))
            #expect(try await stage.ask(.numbered(2), from: centre).testResult == centre.code(.pcrNegative))
            #expect(try await stage.count() == 2)
        }
    }

    @Test("a batch has 1 to 1000 results, and a name of at most 64 characters", arguments: Centre.all)
    func limits(centre: Centre) async throws {
        try await ResultStage.run { stage in
            let many = try (0..<1001).map { try CentreResults.Result.numbered($0, centre.code(.pcrNegative)) }
            for (batch, name) in [([], nil), (many, nil), ([many[0]], String(repeating: "a", count: 65))] {
                await #expect(throws: CallError.refused(.badRequest)) {
                    try await stage.post(batch, labID: name, from: centre)
                }
            }
            #expect(try await stage.count() == 0)
            try await stage.post(many.dropLast(), labID: String(repeating: "a", count: 64), from: centre)
            #expect(try await stage.count() == 1000)
        }
    }

    @Test("a malformed or oversized query is refused", arguments: Centre.all)
    func badQuestions(centre: Centre) async throws {
        try await ResultStage.run { stage in
            try await stage.raw(centre.role) { client in
                let path = centre.result.route.path
                let question = #"{"id":"\#(try CentreTestID.numbered(1).text)","sc":1779796800}"#
                for body in ["", "{}", #"{"id":""}"#, #"{"id":7}"#, String(question.dropLast())] {
                    #expect(try await client.post(path, body).status == 400, "\(body)")
                }
                let room = 1024 - question.utf8.count
                #expect(try await client.post(path, question + String(repeating: " ", count: room)).status == 200)
                #expect(try await client.post(path, question + String(repeating: " ", count: room + 1)).status == 413)
                #expect(try await client.send("GET", path).status == 405)
            }
        }
    }
}
