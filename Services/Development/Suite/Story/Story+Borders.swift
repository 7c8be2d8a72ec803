import Calling
import DevelopmentGatewayAPI
import ExposureFormat
import ExposureKeys
import Foundation
import Phone
import Running

/// Keys on their way to another country, and from there.
extension Story {
    /// A phone from here in a neighbouring country, and a phone from there.
    ///
    /// - Parameters:
    ///   - phoneA: its owner agreed to warn people in other countries.
    ///   - phoneH: its owner reported without a registered test, and warns people here only.
    func crossBorders(_ phoneA: Phone, h phoneH: Phone, ofTwoDaysBefore today: Day) async throws {
        let start = stage.clock.now
        let own = today.advanced(by: -2)
        guard let shared = phoneA.diagnosisKeys(of: own...own, answeredOn: today).first else {
            throw Unmet("phone A should have a key of two days ago")
        }
        let day = Day(containing: start).advanced(by: -2)
        var traveller = Phone(at: start)
        var stranger = Phone(at: start)
        try traveller.meet(&stranger, from: day.noon, intervals: 2)
        guard let key = stranger.diagnosisKeys(of: day...day, answeredOn: Day(containing: start)).first else {
            throw Unmet("the phone from there should have a key of that day")
        }
        say(
            "Two days ago phone G, from here, was in \(neighbour), near a phone from there, whose owner has tested positive since."
        )
        try await uploadAbroad(key)

        let hour = stage.closing.hour(after: try await stage.closing.published())
        try await stage.exchange(hour.start)
        say("federation downloaded the batch, and found by the audit who signed which keys.")
        try await stage.closing.fold(hour.end)
        try await stage.exchange(hour.end)
        try await stage.closing.publish(hour.end)
        _ = try await stage.closing.published(through: hour)
        let keys = try await stage.europe.keys(of: hour.day.name, hour: hour.ofDay)
        let matches = traveller.matches(among: keys)
        try require(
            matches.count == 2 && matches.allSatisfy { $0.key == key.data }, "phone G should find both intervals")
        say("Phone G downloaded the European package of the hour, \(keys.count) keys, and found the encounter.")
        try require(
            try await !stage.packages.keys(of: hour.day.name, hour: hour.ofDay).contains { $0.data == key.data },
            "a key of somebody who wasn't here should not be in the national package")

        // Some of what is shared is of a day that hasn't come yet for a gateway with a right clock.
        let end = GatewayTime(now: Int(hour.endSeconds))
        _ = try await stage.gateway.call(DevelopmentGatewayAPI.clock, end)
        try await stage.exchange(hour.end)
        try await receiveAbroad(shared, not: phoneH)
    }

    /// The neighbour's upload, in which one key is of the phone from there.
    private func uploadAbroad(_ key: DiagnosisKey) async throws {
        let others = (0..<199).map { _ in Data(Self.random(KeyData.count)).base64EncodedString() }
        let upload = CountryUpload(
            country: neighbour, data: others + [Data(key.data.bytes).base64EncodedString()], visited: [],
            rollingStart: Int(key.rollingPeriod.start.rawValue))
        let uploaded = try await stage.gateway.call(DevelopmentGatewayAPI.upload, upload)
        try require(uploaded.status == 201, "the gateway should take the batch of \(neighbour)")
        let batched = try await stage.gateway.call(DevelopmentGatewayAPI.batching, BatchingRequest())
        say(
            "\(neighbour) uploaded \(uploaded.keys.count) keys, signed, to the gateway (201), which made batch \(batched.tags.last ?? "?")."
        )
    }

    /// What the other country downloads.
    private func receiveAbroad(_ key: DiagnosisKey, not phoneH: Phone) async throws {
        _ = try await stage.gateway.call(DevelopmentGatewayAPI.batching, BatchingRequest())
        let received = try await stage.gateway.call(
            DevelopmentGatewayAPI.received, ReceivedQuery(country: neighbour))
        let uploads = received.uploads.filter { $0.country == stage.country.origin }
        try require(
            !uploads.isEmpty && uploads.allSatisfy { $0.keys.count >= stage.minimumKeys },
            "\(neighbour) should get batches, none of them small")
        try require(
            uploads.contains { $0.keys.contains(Data(key.data.bytes).base64EncodedString()) },
            "\(neighbour) should get phone A's key")
        let kept = Set(phoneH.keys.map { Data($0.data.bytes).base64EncodedString() })
        try require(
            uploads.allSatisfy { kept.isDisjoint(with: $0.keys) },
            "\(neighbour) should get no key of phone H, which reported itself")
        say(
            "federation sent \(uploads.map(\.keys.count).reduce(0, +)) keys of people who agreed, and fillers, in \(uploads.count) signed batch(es); "
                + "phone A's key is among what \(neighbour) downloads, and none of phone H's is.")
    }

    /// Another country of the federation.
    private var neighbour: String { stage.country.neighbours[0] }
}
