import DevelopmentAttestation
import Foundation
import PlayIntegrity
import TestSupport
import Testing

/// What Google's judgement says, in tokens that are in order.
@Suite struct VerdictTests {
    private static func read(_ payload: [UInt8]) throws -> PlayIntegrityVerdict {
        try PlayIntegrityVerdict(classic: Sample.mint.token(payload: payload), keys: Sample.keys)
    }

    private static func read(_ change: (inout SimulatedVerdict) -> Void) throws -> PlayIntegrityVerdict {
        try read(Sample.verdict(change).json)
    }

    // MARK: Google's documentation

    private struct Documented: Decodable {
        let name: String
        let payload: String
    }

    private static func documented(_ name: String) throws -> [UInt8] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/verdicts.json")
        let all = try JSONDecoder().decode([Documented].self, from: Data(contentsOf: file))
        return Array(try #require(all.first { $0.name == name }).payload.utf8)
    }

    @Test func `the documentation's answer to a classic request is read`() throws {
        let verdict = try Self.read(Self.documented("classic"))
        #expect(verdict.requestPackageName == "com.package.name")
        #expect(verdict.binding == .nonce("aGVsbG8gd29scmQgdGhlcmU"))
        #expect(verdict.instant == Date(timeIntervalSince1970: 1_617_893.78))
        #expect(verdict.recognition == .recognised)
        #expect(verdict.packageName == "com.package.name")
        #expect(verdict.certificateDigests == ["6a6a1474b5cbbb2b1aa57e0bc3"])
        #expect(verdict.strength == .device)
        #expect(verdict.isLicensed)
        #expect(!verdict.isTest)
    }

    @Test func `the documentation's answer to a standard request is read, with all that an app can opt in to`() throws {
        let verdict = try Self.read(Self.documented("standard, with everything"))
        #expect(verdict.binding == .requestHash("aGVsbG8gd29scmQgdGhlcmU"))
        #expect(verdict.instant == Date(timeIntervalSince1970: 1_675_655_009.345))
        #expect(verdict.strength == .strong)
    }

    @Test func `the documentation's answer about what Google didn't evaluate is read`() throws {
        let verdict = try Self.read(Self.documented("nothing evaluated"))
        #expect(verdict.recognition == .unevaluated)
        #expect(verdict.packageName == nil)
        #expect(verdict.certificateDigests == [])
        #expect(verdict.strength == nil)
        #expect(!verdict.isLicensed)
        #expect(verdict.isTest)
    }

    // MARK: Forms

    @Test(
        arguments: [
            ("\"timestampMillis\":\"1795521600000\"", "\"timestampMillis\":1795521600000"),
            ("1795521600000", "-1795521600000"), ("1795521600000", "+1795521600000"),
            ("1795521600000", "17955216000000"), ("1795521600000", "1795521600000.0"), ("1795521600000", ""),
            ("1795521600000", "1.8e12"), ("1795521600000", " 1795521600000"), ("1795521600000", "١٧٩٥٥٢١٦٠٠٠٠٠"),
            ("timestampMillis", "timestampSeconds"), ("\"nonce\"", "\"nonsense\""),
            ("\"nonce\"", "\"requestHash\":\"x\",\"nonce\""), ("requestPackageName", "packageName"),
            ("requestDetails", "request"), ("appIntegrity", "app"), ("appRecognitionVerdict", "verdict"),
            ("\"PLAY_RECOGNIZED\"", "true"), ("\"PLAY_RECOGNIZED\"", "null"), ("[\"MEETS", "[1,\"MEETS"),
            ("{\"deviceRecognitionVerdict\":", "{\"deviceRecognitionVerdict\":\"MEETS_DEVICE_INTEGRITY\",\"x\":"),
            ("\"certificateSha256Digest\":[", "\"certificateSha256Digest\":\"x\",\"x\":["),
            ("{\"account", "{\"testingDetails\":{\"isTestingResponse\":\"false\"},\"account"),
            ("{\"account", "{\"testingDetails\":{},\"account"), ("{\"account", "[\"account"),
        ])
    func `a judgement in another form is refused`(_ old: String, _ new: String) throws {
        let good = try Sample.verdict().json
        let changed = try Sample.json(replacing: old, with: new)
        try #require(changed != good)
        #expect(throws: PlayIntegrityFlaw.unreadable) { try Self.read(changed) }
    }

    @Test(arguments: ["", "null", "{}", "[]", "0", "\u{FEFF}", "{\"requestDetails\":null,\"appIntegrity\":null}"])
    func `what is no judgement is refused`(_ text: String) throws {
        #expect(throws: PlayIntegrityFlaw.unreadable) { try Self.read(Array(text.utf8)) }
    }

    @Test func `a name with bytes that are no text is refused`() throws {
        var payload = try Sample.verdict().json
        let place = try #require(payload.firstRange(of: Sample.packageName.utf8)).lowerBound
        payload[place] = 0xFF
        #expect(throws: PlayIntegrityFlaw.unreadable) { try Self.read(payload) }
    }

    @Test(arguments: ["{\"a\":1,\"a\":1,\"account", "{\"a\":[1,],\"account", "{\"a\":{\"b\":1,\"b\":1},\"account"])
    func `a judgement that others read as something else is refused`(_ start: String) throws {
        let payload = try Sample.json(replacing: "{\"account", with: start)
        #expect(throws: PlayIntegrityFlaw.unreadable) { try Self.read(payload) }
    }

    @Test func `members that nobody knows yet are no obstacle`() throws {
        let payload = try Sample.json(
            replacing: "{\"account", with: "{\"futureDetails\":{\"x\":[1,null]},\"account")
        #expect(try Self.read(payload) == Self.read { _ in })
    }

    @Test func `values that nobody knows yet are worth nothing`() throws {
        let verdict = try Self.read {
            $0.appIntegrity?.appRecognitionVerdict = "PLAY_ADORED"
            $0.deviceIntegrity?.deviceRecognitionVerdict = ["MEETS_DIVINE_INTEGRITY"]
            $0.accountDetails?.appLicensingVerdict = "LICENSED_SOMEHOW"
        }
        #expect(verdict.recognition == .unevaluated)
        #expect(verdict.strength == nil)
        #expect(!verdict.isLicensed)
    }

    @Test(
        arguments: [
            ([], nil), (["MEETS_VIRTUAL_INTEGRITY"], nil), (["MEETS_BASIC_INTEGRITY"], .basic),
            (["MEETS_DEVICE_INTEGRITY"], .device), (["MEETS_STRONG_INTEGRITY", "MEETS_BASIC_INTEGRITY"], .strong),
            (["MEETS_BASIC_INTEGRITY", "MEETS_DEVICE_INTEGRITY", "MEETS_VIRTUAL_INTEGRITY"], .device),
        ] as [([String], PlayIntegrityVerdict.DeviceStrength?)])
    func `the best of a device counts`(_ labels: [String], _ strength: PlayIntegrityVerdict.DeviceStrength?) throws {
        #expect(try Self.read { $0.deviceIntegrity?.deviceRecognitionVerdict = labels }.strength == strength)
    }

    @Test func `missing judgements of device and licence are worth nothing`() throws {
        #expect(try Self.read { $0.deviceIntegrity = nil }.strength == nil)
        #expect(try Self.read { $0.deviceIntegrity?.deviceRecognitionVerdict = nil }.strength == nil)
        #expect(try !Self.read { $0.accountDetails = nil }.isLicensed)
    }
}
