import Testing

@testable import PushDispatcher

@Suite struct BreakerTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// For each page: accepted, wrong, and the proven ones of both.
        let pages: [(accepted: Int, wrong: Int, provenAccepted: Int, provenWrong: Int)]
        let verdicts: [Breaker.Verdict]
    }

    static let cases = [
        Case(testDescription: "all good", pages: [(1000, 0, 0, 0)], verdicts: [.believe]),
        Case(testDescription: "5 % wrong", pages: [(950, 50, 950, 50)], verdicts: [.believe]),
        Case(testDescription: "more than 5 % wrong", pages: [(949, 51, 949, 51)], verdicts: [.stop]),
        Case(testDescription: "all wrong", pages: [(0, 1000, 0, 0)], verdicts: [.stop]),
        Case(testDescription: "few phones, one wrong", pages: [(3, 1, 0, 0)], verdicts: [.believe]),
        Case(testDescription: "few phones, all wrong", pages: [(0, 10, 0, 0)], verdicts: [.doubt]),
        Case(testDescription: "some phones, all wrong", pages: [(0, 11, 0, 0)], verdicts: [.stop]),
        Case(testDescription: "no answer", pages: [(0, 0, 0, 0)], verdicts: [.doubt]),
        Case(
            testDescription: "wrong from the second thousand on", pages: [(1000, 0, 1000, 0), (900, 100, 900, 100)],
            verdicts: [.believe, .stop]),
        Case(
            testDescription: "small pages count together",
            pages: [(300, 10, 0, 0), (300, 20, 0, 0), (300, 20, 0, 0), (100, 0, 0, 0)],
            verdicts: [.believe, .believe, .doubt, .believe]),
        Case(
            testDescription: "invented tokens among proven ones stop nothing", pages: [(600, 400, 600, 0)],
            verdicts: [.believe]),
        Case(
            testDescription: "wrong proven tokens are not hidden among accepted new ones",
            pages: [(900, 100, 100, 100)], verdicts: [.stop]),
        Case(
            testDescription: "too few proven ones prove nothing", pages: [(600, 400, 99, 0)], verdicts: [.doubt]),
        Case(
            testDescription: "more than 5 % of few proven ones are wrong", pages: [(600, 400, 93, 6)], verdicts: [.stop]
        ),
    ]

    @Test("rejections are believed only while they are few", arguments: cases)
    func judge(_ example: Case) {
        var breaker = Breaker()
        let verdicts = example.pages.map { page in
            breaker.judge(
                Breaker.Tally(
                    answers: page.accepted + page.wrong, wrong: page.wrong,
                    provenAnswers: page.provenAccepted + page.provenWrong, provenWrong: page.provenWrong,
                    accepted: page.accepted))
        }
        #expect(verdicts == example.verdicts)
    }
}
