import ExposureKeys
import FederationFormat
import Foundation
import TestSupport
import Testing

@testable import Federation

/// What answers of a gateway mean.
@Suite struct UploadVerdictTests {
    private func verdict(
        _ status: Int?, _ body: String = "", of count: Int = 4, _ gateway: GatewayPlan.Behaviour = .efgs
    )
        -> UploadVerdict
    {
        UploadVerdict(.init(status: status, body: Array(body.utf8)), of: count, to: gateway)
    }

    @Test func `only 201 and a known tag mean that everything arrived`() {
        #expect(verdict(201) == .delivered)
        #expect(verdict(409) == .delivered)
        for status in [200, 202, 204, 302, 401, 403, 406, 415, 429, 500, 503] {
            #expect(verdict(status) == .later(reason: "status_\(status)"))
        }
        #expect(verdict(nil) == .later(reason: "no_answer"))
    }

    @Test func `a batch that breaks a rule isn't sent again by itself, and one that is too large is divided`() {
        #expect(verdict(400) == .refused(reason: "status_400"))
        #expect(verdict(413) == .split)
    }

    @Test func `the European gateway has stored nothing of a mixed batch, the Swiss one what it calls new`() {
        let body = #"{"201":[0,3],"409":[1],"500":[2]}"#
        #expect(verdict(207, body) == .mixed(again: [0, 3], failed: [2]))
        #expect(verdict(207, body, .chgs) == .mixed(again: [], failed: [2]))
        #expect(verdict(207, #"{"201":[0],"409":[1,2]}"#) == .mixed(again: [0, 3], failed: []))
        #expect(verdict(207, #"{"201":[0],"409":[1,2]}"#, .chgs) == .mixed(again: [3], failed: []))
        #expect(verdict(207, #"{"201":[0,2],"409":[1,3]}"#, .chgs) == .delivered)
        #expect(verdict(207, #"{"409":[0,1,2,3]}"#) == .delivered)
    }

    @Test func `a mixed answer that says nothing is asked for again, so that no key is lost`() {
        #expect(verdict(207, "<html>") == .later(reason: "unreadable"))
        #expect(verdict(207, #"{"201":[9]}"#) == .later(reason: "unreadable"))
        #expect(verdict(207, "{}") == .later(reason: "not_stored"))
        #expect(verdict(207, #"{"201":[0,1,2,3]}"#) == .later(reason: "not_stored"))
    }
}

/// How keys are divided into batches.
@Suite(.heavy) struct BatchDivisionTests {
    @Test(arguments: [1, 139, 140, 280, 3999, 4000, 4001, 8000, 8001, 12_345])
    func `no batch is larger than allowed, and none is a remainder`(_ count: Int) throws {
        let origin = try CountryCode.home
        let keys = try Sample.homeKeys(count, seed: UInt64(count)).compactMap {
            FederatedKey(sharing: $0, from: origin, with: [try .france])
        }
        let batches = KeyBatch.divide(keys, largest: 4000)
        let sizes = batches.map(\.keys.count)
        #expect(batches.flatMap(\.keys).count == count)
        #expect(Set(batches.flatMap(\.keys)) == Set(keys))
        #expect(sizes.allSatisfy { $0 <= 4000 })
        let (most, fewest) = (try #require(sizes.max()), try #require(sizes.min()))
        #expect(most - fewest <= 1)
        #expect(batches.count == (count + 3999) / 4000)
        // The order in which keys come has no effect.
        #expect(KeyBatch.divide(keys.reversed(), largest: 4000) == batches)
    }
}
