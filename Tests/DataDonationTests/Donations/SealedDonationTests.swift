import Credentials
import DonationFormat
import ExposureKeys
import HourKeys
import TestSupport
import Testing

import enum Crypto.Curve25519

@testable import DataDonation

@Suite(.heavy) struct SealedDonationTests {
    typealias Room = SealedDonation.Room
    private let privateKey = Curve25519.KeyAgreement.PrivateKey()
    private let tag = Digest(sha256: "tag".utf8)
    private var hourKey: HourPublicKey { HourPublicKey(hour: FoldStage.hour, key: privateKey.publicKey) }

    private func open(_ sealed: SealedDonation) -> AnalyticsData? {
        sealed.open(tag: tag, hour: FoldStage.hour, with: privateKey)
    }

    @Test func `what was sealed can be opened, whatever it is`() throws {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<200 {
            let data = SampleDonation.data(using: &random)
            #expect(open(try SealedDonation.seal(data, tag: tag, to: hourKey)) == data)
        }
    }

    @Test func `a row moved under another tag or hour stays closed`() throws {
        var random = SeededGenerator(seed: 2)
        let sealed = try SealedDonation.seal(SampleDonation.data(using: &random), tag: tag, to: hourKey)
        #expect(sealed.open(tag: Digest(sha256: "other".utf8), hour: FoldStage.hour, with: privateKey) == nil)
        #expect(sealed.open(tag: tag, hour: FoldStage.next, with: privateKey) == nil)
    }

    @Test func `content that no server of this version writes is no donation`() throws {
        var random = SeededGenerator(seed: 3)
        let data = SampleDonation.data(using: &random)
        let content = try data.encoded()
        let envelope = RowEnvelope(for: "vigil donation 1")
        let platform: UInt8 = data.client.system.platform == .iOS ? 0 : 1
        let length = [0, 0, UInt8(content.count >> 8), UInt8(truncatingIfNeeded: content.count)]
        func opened(_ plaintext: [UInt8]) throws -> AnalyticsData? {
            open(SealedDonation(bytes: try #require(try envelope.seal([(tag, plaintext)], to: hourKey).first)))
        }
        // The control; then another version, platform, length, and nothing.
        #expect(try opened([1, platform] + length + content) == data)
        #expect(try opened([2, platform] + length + content) == nil)
        #expect(try opened([1, 2] + length + content) == nil)
        #expect(try opened([1, platform, 0, 0, 255, 255] + content) == nil)
        #expect(try opened([1, platform, 255, 255, 255, 255] + content) == nil)
        #expect(try opened([1, platform, 0, 0, 0, 3, 255, 255, 255]) == nil)
        #expect(try opened([1, platform]) == nil)
        #expect(try opened([]) == nil)
    }

    @Test(arguments: Room.allCases) func `rows of one room have one length`(room: Room) throws {
        var random = SeededGenerator(seed: 4)
        for count in [0, 1, 7] {
            let client = SampleDonation.client(using: &random)
            let data = AnalyticsData(windows: SampleDonation.windows(count, using: &random), client: client)
            let sealed = try SealedDonation.seal(
                try data.encoded(), of: .iOS, in: room, tag: tag, to: hourKey)
            #expect(sealed.bytes.count == room.rawValue)
            #expect(open(sealed) == data)
        }
    }

    @Test func `twenty long encounters fit into a common row, two hundred into a test's`() throws {
        var random = SeededGenerator(seed: 5)
        func room(of windows: Int, _ tests: [DonatedTestResult] = []) throws -> Int {
            var data = SampleDonation.data(using: &random)
            data.windows = (0..<windows).map { _ in SampleDonation.window(scans: 6, using: &random) }
            data.tests = tests
            return try data.encoded().count
        }
        for _ in 0..<20 {
            #expect(try room(of: 20) <= 2048 - 66)
            #expect(try room(of: 0, [SampleDonation.test(windows: 100...100, using: &random)]) <= 16_384 - 66)
        }
    }

    @Test func `the most that the contract lets through fits into the largest row`() throws {
        var random = SeededGenerator(seed: 6)
        // Windows until the body is full.
        var data = AnalyticsData(client: SampleDonation.client(on: .android, using: &random))
        data.submissions = (0..<3).map { _ in DonatedKeySubmission() }
        data.tests = (0..<2).map { _ in DonatedTestResult(.pcrPending, hoursSinceRegistration: nil) }
        let window = SampleDonation.window(scans: 15, using: &random)
        data.windows = [DonatedWindow](repeating: window, count: AnalyticsData.mostWindows)
        let space = 196_608 - (try data.encoded().count)
        let size =
            try AnalyticsData(windows: [window], client: data.client).encoded().count
            - AnalyticsData(client: data.client).encoded().count
        data.tests[0].windowsAtRegistration = [DonatedWindow](repeating: window, count: min(672, space / size))
        let count = try data.encoded().count
        #expect(count > 190_000)
        #expect(open(try SealedDonation.seal(data, tag: tag, to: hourKey)) == data)

        // What has no room is refused, and stops nothing.
        data.tests[0].windowsAtRegistration = [DonatedWindow](repeating: window, count: 672)
        data.tests[0].windowsUntilResult = [DonatedWindow](repeating: window, count: 672)
        #expect(throws: DonationFlaw.tooLarge) { try SealedDonation.seal(data, tag: tag, to: hourKey) }
    }

    @Test func `every thirty-second donation has a larger row than it needs: a larger row proves nothing`() throws {
        var random = SeededGenerator(seed: 7)
        let overhead = RowEnvelope.overhead + 6
        for (room, next) in zip(Room.allCases, Room.allCases.dropFirst()) {
            for count in [room.rawValue - overhead, room.rawValue - overhead - 100] {
                var found: [Room?: Int] = [:]
                for _ in 0..<32_000 { found[Room.fitting(count, using: &random), default: 0] += 1 }
                #expect(Set(found.keys) == [room, next])
                #expect((850...1150).contains(found[next] ?? 0))
            }
            #expect(Room.fitting(room.rawValue - overhead + 1, using: &random) != room)
        }
        #expect(Room.fitting(Room.largest.rawValue - overhead, using: &random) == .largest)
        #expect(Room.fitting(Room.largest.rawValue - overhead + 1, using: &random) == nil)
    }
}
