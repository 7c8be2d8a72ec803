import Calling
import Credentials
import Foundation
import HTTPContract
import HTTPTypes
import Running
import TestSupport
import Testing
import VerificationAPI

@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct ReservationTests {
    @Test("the first tag wins, the same tag wins again, and no other tag does")
    func firstWins() async throws {
        try await VerificationStage.run { stage in
            let tan = try await stage.freshTAN()
            #expect(try await stage.reserve(tan, .tag(1)) == .granted)
            #expect(try await stage.reserve(tan, .tag(2)) == .refused)
            #expect(try await stage.reserve(tan, .tag(1)) == .granted)
            #expect(try await stage.confirm(tan, .tag(2)) == .refused)
            #expect(try await stage.confirm(tan, .tag(1)) == .granted)
            #expect(try await stage.reserve(tan, .tag(2)) == .refused)
        }
    }

    @Test("after the confirmation the same tag is granted while the TAN is valid, and no other tag ever")
    func afterConfirmation() async throws {
        try await VerificationStage.run { stage in
            let tan = try await stage.freshTAN()
            _ = try await stage.reserve(tan, .tag(1))
            _ = try await stage.confirm(tan, .tag(1))
            stage.clock.advance(by: 24 * 3600)
            #expect(try await stage.applyRetention() == 0)
            #expect(try await stage.confirm(tan, .tag(1)) == .granted)
            #expect(try await stage.reserve(tan, .tag(1)) == .granted)
            #expect(try await stage.reserve(tan, .tag(2)) == .refused)
            stage.clock.advance(by: 3600)
            #expect(try await stage.reserve(tan, .tag(1)) == .refused)
        }
    }

    @Test("the answer says which uploads were confirmed before, and nothing about another upload's TAN")
    func confirmedBefore() async throws {
        try await VerificationStage.run { stage in
            let (stored, waiting) = (try await stage.freshTAN(1), try await stage.freshTAN(2))
            func entry(_ tan: TAN, _ tag: Int) -> TANReservation {
                TANReservation(tan: tan, tag: .tag(tag), purpose: .diagnosisKeys)
            }
            let entries = [entry(waiting, 2), entry(stored, 1), entry(stored, 3), entry(stored, 1)]
            #expect(try await stage.confirmed(entries) == [])
            _ = try await stage.confirm(stored, .tag(1))
            #expect(try await stage.confirmed(entries) == [1, 3])
        }
    }

    @Test("a TAN reserved in time may be confirmed shortly after its expiry: the upload is stored")
    func lateConfirmation() async throws {
        try await VerificationStage.run { stage in
            let tan = try await stage.freshTAN()
            _ = try await stage.reserve(tan, .tag(1))
            stage.clock.advance(by: 25 * 3600)
            #expect(try await stage.reserve(tan, .tag(1)) == .refused)
            #expect(try await stage.confirm(tan, .tag(2)) == .refused)
            #expect(try await stage.confirm(tan, .tag(1)) == .granted)
            stage.clock.advance(by: 2 * 86_400)
            #expect(try await stage.confirm(tan, .tag(1)) == .refused)
        }
    }

    @Test("a used TAN stays recorded until no TAN for the same upload can be valid", arguments: [0, 7, 20])
    func remembered(day: Double) async throws {
        try await VerificationStage.run(settings: ["tan.lifetime": "336"]) { stage in
            let token = try await stage.registered(.numbered(1))
            stage.clock.advance(by: day * 86_400)
            let tan = try await stage.tan(token)
            _ = try await stage.reserve(tan, .tag(1))
            // Once more as late as it can be had, so that it is good as long as any can be.
            stage.clock.advance(by: (21 - day) * 86_400)
            let last = try await stage.tan(token)
            var hours = 0
            while try await stage.reserve(last, .tag(1)) == .granted {
                #expect(try await stage.reserve(last, .tag(2)) == .refused)
                stage.clock.advance(by: 3600)
                try await stage.applyRetention()
                hours += 1
            }
            #expect(hours == 25)
            #expect(try await stage.counts()["used_tan"] == 1)
            stage.clock.advance(by: (day + 2) * 86_400)
            try await stage.applyRetention()
            #expect(try await stage.counts()["used_tan"] == nil)
        }
    }

    @Test("a TAN that this server hasn't issued is refused and not stored")
    func unknown() async throws {
        let otherKey = try #require(HashKey(bytes: [UInt8](repeating: 3, count: 32)))
        let hour = Int32(VerificationStage.start.timeIntervalSince1970 / 3600)
        let ofAnother = TANCipher(otherKey).seal(TANClaims(nonce: .tag(1), kind: nil, lastHour: hour + 5))
        try await VerificationStage.run { stage in
            for tan in [try #require(TAN("63b4d3ff-e0de-4bd4-90c1-17c2bb683a2f")), ofAnother] {
                #expect(try await stage.reserve(tan, .tag(1)) == .refused)
                #expect(try await stage.confirm(tan, .tag(1)) == .refused)
            }
            #expect(try await stage.rows().isEmpty)
        }
    }

    @Test("a TAN that wasn't reserved can't be confirmed")
    func unreserved() async throws {
        try await VerificationStage.run { stage in
            let tan = try await stage.freshTAN()
            #expect(try await stage.confirm(tan, .tag(1)) == .refused)
            #expect(try await stage.reserve(tan, .tag(2)) == .granted)
        }
    }

    struct Use: Sendable, CustomTestStringConvertible {
        /// Nil for the TAN of a lab's result.
        let kind: TeleTANKind?
        let purpose: UploadPurpose
        let outcome: TANOutcomes.Outcome
        var testDescription: String { "\(kind?.rawValue ?? "lab") for \(purpose.rawValue)" }
    }

    @Test(
        "a TAN can be reserved for uploads of its kind only",
        arguments: [
            Use(kind: nil, purpose: .diagnosisKeys, outcome: .granted),
            Use(kind: nil, purpose: .onBehalf, outcome: .refused),
            Use(kind: .test, purpose: .diagnosisKeys, outcome: .granted),
            Use(kind: .test, purpose: .onBehalf, outcome: .refused),
            Use(kind: .event, purpose: .diagnosisKeys, outcome: .refused),
            Use(kind: .event, purpose: .onBehalf, outcome: .granted),
        ])
    func purposes(use: Use) async throws {
        try await VerificationStage.run { stage in
            let tan: TAN
            if let kind = use.kind {
                tan = try await stage.tan(try await stage.register(.teleTAN(try await stage.teleTAN(kind))))
            } else {
                tan = try await stage.freshTAN()
            }
            #expect(try await stage.reserve(tan, .tag(1), use.purpose) == use.outcome)
            let other: UploadPurpose = use.purpose == .onBehalf ? .diagnosisKeys : .onBehalf
            // A refused reservation doesn't block a valid one.
            #expect(try await stage.reserve(tan, .tag(2), other) == (use.outcome == .refused ? .granted : .refused))
            #expect(try await stage.reserve(tan, .tag(1), other) == .refused)
        }
    }

    @Test("several entries for one TAN in one call count in their order")
    func sameTANTwice() async throws {
        try await VerificationStage.run { stage in
            let one = try await stage.freshTAN(1)
            let two = try await stage.freshTAN(2)
            let three = try await stage.freshTAN(3)
            func entry(_ tan: TAN, _ tag: Int, _ purpose: UploadPurpose = .diagnosisKeys) -> TANReservation {
                TANReservation(tan: tan, tag: .tag(tag), purpose: purpose)
            }
            let outcomes = try await stage.reserve([
                entry(one, 1), entry(two, 3), entry(one, 1), entry(one, 2), entry(two, 4), entry(two, 3),
                entry(one, 1, .onBehalf), entry(three, 5, .onBehalf), entry(three, 5),
            ])
            #expect(
                outcomes == [
                    .granted, .granted, .granted, .refused, .refused, .granted, .refused, .refused, .granted,
                ])
            #expect(try await stage.reserve(one, .tag(2)) == .refused)
            #expect(try await stage.reserve(three, .tag(6)) == .refused)
            // The tag that owns the TAN is granted, whatever other tags the same call contains.
            #expect(
                try await stage.reserve([entry(one, 2), entry(three, 6), entry(one, 1), entry(three, 5)])
                    == [.refused, .refused, .granted, .granted])

            let confirmations = [(one, 1), (one, 2), (one, 1), (two, 4), (two, 3)].map {
                TANConfirmation(tan: $0.0, tag: .tag($0.1))
            }
            let confirmed = try await stage.confirm(confirmations)
            // Named with a wrong tag beside the right one, the TAN is spent by the right one alone.
            #expect(confirmed == [.granted, .refused, .granted, .refused, .granted])
        }
    }

    @Test("a call has 1 to 256 entries, which are answered in their order")
    func batchSize() async throws {
        try await VerificationStage.run { stage in
            let tan = try await stage.freshTAN()
            var randomness = SystemRandomNumberGenerator()
            let unknown = (0..<256).map { _ in TAN(RandomIdentifier(using: &randomness)) }
            let entries = (unknown.dropLast() + [tan]).map {
                TANReservation(tan: $0, tag: .tag(1), purpose: .diagnosisKeys)
            }
            await #expect(throws: CallError.refused(.badRequest)) { try await stage.reserve([]) }
            await #expect(throws: CallError.refused(.badRequest)) {
                try await stage.reserve(entries + entries.suffix(1))
            }
            let outcomes = try await stage.reserve(entries)
            #expect(outcomes.count == 256)
            #expect(outcomes.last == .granted)
            #expect(outcomes.dropLast().allSatisfy { $0 == .refused })

            let confirmations = entries.map { TANConfirmation(tan: $0.tan, tag: $0.tag) }
            await #expect(throws: CallError.refused(.badRequest)) { try await stage.confirm([]) }
            await #expect(throws: CallError.refused(.badRequest)) {
                try await stage.confirm(confirmations + confirmations.suffix(1))
            }
            #expect(try await stage.confirm(confirmations) == outcomes)
        }
    }

    @Test("calls with the same TANs in opposite orders don't deadlock")
    func noDeadlock() async throws {
        try await VerificationStage.run { stage in
            var tans: [TAN] = []
            for number in 0..<24 { tans.append(try await stage.freshTAN(number)) }
            let all = tans
            try await withThrowingTaskGroup(of: Void.self) { group in
                for round in 0..<40 {
                    group.addTask {
                        let order = round.isMultiple(of: 2) ? all : all.reversed()
                        let entries = order.map {
                            TANReservation(tan: $0, tag: .tag(round % 3), purpose: .diagnosisKeys)
                        }
                        let outcomes = try await stage.reserve(entries)
                        // Locked in one order: one call takes all of them, or none.
                        #expect(Set(outcomes).count == 1)
                        let confirmations = entries.map { TANConfirmation(tan: $0.tan, tag: $0.tag) }
                        #expect(try await stage.confirm(confirmations) == outcomes)
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}
