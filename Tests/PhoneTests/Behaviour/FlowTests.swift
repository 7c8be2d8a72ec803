import Credentials
import ExposureKeys
import Foundation
import Phone
import TestSupport
import Testing
import VerificationAPI

/// What somebody learns who watches the line between a phone and the proxy: how many requests, of which kind and size, when.
@Suite struct FlowTests {
    private static let morning = Day(number: 20_600).firstHour.advanced(by: 9).start

    /// A flow as an observer sees it, and whether it was real.
    private struct Seen {
        var isReal = false
        var steps: [FlowStep] = []
        var rooms: Set<Int> = []
        var times: [Date] = []

        var gaps: [TimeInterval] { zip(times, times.dropFirst()).map { $1.timeIntervalSince($0) } }
    }

    /// The flows of a phone: each ends with an upload, or, if they come at once, with a pause of more than half a minute.
    private static func flows(of phone: SimulatedPhone, atOnce: Bool) -> [Seen] {
        var flows: [Seen] = []
        for sent in phone.log {
            guard let step = sent.kind.step else { continue }
            let isOver = flows.last.map { flow in
                atOnce ? flow.times.last.map { sent.at > $0 + 30 } == true : flow.steps.last == .upload
            }
            if isOver ?? true { flows.append(Seen()) }
            var flow = flows.removeLast()
            flow.steps.append(step)
            flow.times.append(sent.at)
            switch sent.kind {
            case .pretend(_, let room): flow.rooms.insert(room)
            case .upload(let upload):
                flow.isReal = true
                flow.rooms.insert(upload.room)
            default: flow.isReal = true
            }
            flows.append(flow)
        }
        return flows
    }

    /// Flows of phones with a test and an upload, and with dummies of a configuration. Answers to real requests take a little longer.
    private static func flows(_ dummies: DummyTraffic, phones: Int = 40, atOnce: Bool = false) -> [Seen] {
        (0..<phones).flatMap { seed -> [Seen] in
            var phone = SimulatedPhone(
                .android(wifi: .never, dozes: false), dummies: dummies, at: morning, seed: UInt64(seed))
            phone.latency = { kind, random in
                let isDummy = if case .pretend = kind { true } else { false }
                return kind.step == nil ? 0 : .random(in: isDummy ? 0.10...0.14 : 0.12...0.16, using: &random)
            }
            phone.tell(.scanned(.guid(HashedGUID(hashing: "\(seed)")), .pcr))
            phone.live(until: morning + 86_400)
            phone.services.result = .pcrPositive
            phone.live(until: phone.now + 7200)
            phone.tell(.consented(test: 0, App.Consent()))
            phone.live(until: morning + 12 * 86_400)
            return flows(of: phone, atOnce: atOnce)
        }
    }

    /// How well the best threshold tells two samples apart by one figure: 0.5 is guessing.
    private static func accuracy(_ real: [Double], _ dummy: [Double]) -> Double {
        let all = (real.map { ($0, 1 / Double(real.count)) } + dummy.map { ($0, -1 / Double(dummy.count)) })
            .sorted { $0.0 < $1.0 }
        var (sum, best) = (0.0, 0.0)
        for (place, entry) in all.enumerated() {
            sum += entry.1
            if place + 1 == all.count || all[place + 1].0 > entry.0 { best = max(best, abs(sum)) }
        }
        return 0.5 + best / 2
    }

    private static func accuracy(_ flows: [Seen], by figure: (Seen) -> Double?) -> Double {
        let alike = flows.filter { $0.steps.first != .registration }
        return accuracy(
            alike.filter(\.isReal).compactMap(figure), alike.filter { !$0.isReal }.compactMap(figure))
    }

    @Test("a dummy flow and a real one have the same requests, of the same sizes, at the same distances")
    func indistinguishable() {
        let flows = Self.flows(.vigil)
        #expect(flows.count { $0.isReal } > 400 && flows.count { !$0.isReal } > 400)
        // Real ones are registrations, questions and uploads; dummies look like all of these.
        let shapes = Set(flows.filter(\.isReal).map(\.steps))
        #expect(shapes == [[.registration, .result, .upload], [.result, .tan, .upload]])
        #expect(Set(flows.filter { !$0.isReal }.map(\.steps)) == shapes)
        #expect(Set(flows.map(\.rooms)).count == 1)
        #expect(flows.allSatisfy { $0.gaps.allSatisfy { (2...5.2).contains($0) } })
        // Kolmogorov and Smirnov: with 400 of each, chance reaches 0.5 + 0.1 less than once in a million times.
        #expect(Self.accuracy(flows, by: \.gaps.first) < 0.6)
        #expect(Self.accuracy(flows, by: \.gaps.last) < 0.6)
        #expect(Self.accuracy(Self.flows(.vigil, atOnce: true)) { Double($0.steps.count) } < 0.6)
    }

    @Test("control: without spacing, or with repetitions, the same observer tells them apart")
    func controls() {
        let vigil = DummyTraffic.vigil
        let unspaced = DummyTraffic(
            startProbability: 0, background: vigil.background, spacing: 0...0, opening: vigil.opening)
        #expect(Self.accuracy(Self.flows(unspaced), by: \.gaps.first) > 0.65)
        let repeated = Self.flows(.androidUntilAugust2020, atOnce: true)
        #expect(Self.accuracy(repeated) { Double($0.steps.count) } > 0.7)
        // The published apps' dummies begin with another request than their questions for a result.
        let shapes = Self.flows(.iosUntilAugust2020, phones: 5).reduce(into: [Bool: Set<FlowStep>]()) { shapes, flow in
            shapes[flow.isReal, default: []].formUnion(flow.steps.prefix(1))
        }
        #expect(shapes[false] == [.tan] && shapes[true]?.contains(.result) == true)
    }

    @Test(
        "how many dummy flows a phone sends in 20 days, with a test on the first of them and without one",
        arguments: [
            (DummyTraffic.sinceAugust2020, 0...0, 0...0), (.androidUntilAugust2020, 60...130, 0...0),
            (.iosUntilAugust2020, 70...160, 0...0), (.vigil, 40...65, 13...28),
        ])
    func rate(dummies: DummyTraffic, with: ClosedRange<Int>, without: ClosedRange<Int>) {
        let count = { (isTested: Bool) in
            var phone = SimulatedPhone(
                .android(wifi: .never, dozes: false), dummies: dummies, at: Self.morning, seed: 5)
            phone.services.result = .pcrNegative
            if isTested { phone.tell(.scanned(.guid(HashedGUID(hashing: "")), .pcr)) }
            phone.live(until: Self.morning + 20 * 86_400)
            // Each real flow has one question for the result, and its upload is a dummy.
            let uploads = phone.log.count { $0.kind.step == .upload }
            return uploads - phone.log.count { if case .result = $0.kind { true } else { false } }
        }
        #expect(with.contains(count(true)))
        #expect(without.contains(count(false)))
    }

    @Test("a phone that starts its app often sends a dummy flow once in a hundred times, as Android's did")
    func starts() {
        var flows = 0
        for seed in 0..<400 {
            var phone = SimulatedPhone(
                .android(wifi: .never, dozes: false), dummies: .androidUntilAugust2020, at: Self.morning,
                seed: UInt64(seed))
            for start in 0..<20 {
                phone.live(until: Self.morning + Double(start) * 400)
                phone.tell(.opened)
            }
            phone.live(until: phone.now + 300)
            flows += phone.log.count { $0.kind.step == .upload }
        }
        // 8,000 starts, 80 dummies of one to three flows: 160 on average, with a standard deviation of 19.
        #expect((60...260).contains(flows))
    }
}
