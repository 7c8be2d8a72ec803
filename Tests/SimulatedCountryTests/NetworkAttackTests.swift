import CountryModel
import Foundation
import Phone
import Testing

@testable import SimulatedCountry

/// What somebody learns who watches phones' networks.
@Suite("Attackers on a country's network trace") struct NetworkAttackTests {
    /// Phones whose uploads have one length, and whose dummy flows come at the times of real ones. Every second one has a test, and of
    /// these every second one uploads.
    private static func trace(seed: UInt64, uploadLength: Int = 4400, hasDummies: Bool = true) -> NetworkTrace {
        var random = RandomStream(seed: seed, attackers: 98)
        var trace = NetworkTrace()
        for number in 0..<200 {
            let start = Date(timeIntervalSince1970: 1_767_571_200)
            var requests: [WatchedRequest] = []
            func add(_ meaning: WatchedRequest.Meaning, _ second: Double, sent: Int = 700) {
                let lengths = Wiretap.Lengths(sent: sent, received: 1200)
                let seen = TappedLines.Exchange(at: start.addingTimeInterval(second), lengths: lengths)
                requests.append(WatchedRequest(seen: seen, meaning: meaning))
            }
            let (isTested, uploads) = (number % 2 == 1, number % 4 == 3)
            for flow in 0..<20 {
                let begin = Double(flow) * 20_000 + .random(in: 0..<15_000, using: &random)
                let pause = Double.random(in: 2..<5, using: &random)
                let isReal = uploads && flow == 7
                if flow == 3, isTested {
                    add(.registration, begin)
                } else if isReal {
                    add(.question, begin)
                } else if hasDummies {
                    add(.dummy(.result), begin)
                }
                if isReal {
                    add(.upload(14), begin + pause, sent: uploadLength)
                } else if hasDummies {
                    add(.dummy(.upload), begin + pause, sent: 4400)
                }
            }
            trace.phones[PersonID(rawValue: UInt32(number))] = requests
        }
        return trace
    }

    @Test("uploads that look like dummies tell nothing, and longer ones are found", arguments: [1, 2] as [UInt64])
    func lengths(seed: UInt64) {
        let attack = Attack.lengths(in: Self.trace(seed: seed), seed: seed)
        #expect(attack.questions == 50 && !attack.findsSomething, "\(attack.accuracy)")
        #expect(attack.control > 0.9)
        #expect(Attack.lengths(in: Self.trace(seed: seed, uploadLength: 4408), seed: seed).findsSomething)
    }

    @Test("times tell nothing about phones that send dummy requests, and much about others")
    func times() {
        let trace = Self.trace(seed: 4)
        for attack in [Attack.uploaders(in: trace, seed: 4), .tested(in: trace, seed: 4)] {
            #expect(attack.questions >= 50 && !attack.findsSomething, "\(attack.name): \(attack.accuracy)")
            #expect(attack.control > 0.7, "\(attack.name): \(attack.control)")
        }
        #expect(Attack.uploaders(in: Self.trace(seed: 4, hasDummies: false), seed: 4).findsSomething)
    }

    @Test("a silent country asks nothing")
    func nothing() {
        let attack = Attack.lengths(in: NetworkTrace(), seed: 5)
        #expect(attack.questions == 0 && attack.accuracy == 0.5 && !attack.findsSomething)
    }
}
