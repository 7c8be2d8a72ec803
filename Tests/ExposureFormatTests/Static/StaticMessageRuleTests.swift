import ExposureFormat
import Foundation
import TestSupport
import Testing

/// What is refused because it would break phones, and that what phones can bear is not.
@Suite("Rules for static messages", .heavy)
struct StaticMessageRuleTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let message: StaticMessage
        let edit: JSONEdit
        /// The first finding; nil if the edit breaks no rule.
        let finding: String?

        var testDescription: String { "\(message): \(edit.testDescription)" }

        init(_ message: StaticMessage, _ path: String, _ value: String?, _ finding: String? = nil) {
            self.message = message
            edit = JSONEdit(path: path, value: value)
            self.finding = finding
        }
    }

    static let ios = StaticMessage.applicationConfigurationIOS
    static let android = StaticMessage.applicationConfigurationAndroid
    static let first = StaticMessage.applicationConfiguration
    static let finite = "must be a finite number"
    static let weight = "must be a finite number of at least 0"
    static let overlap = "must have ranges that don't overlap"
    static let risk = "riskCalculationParameters"
    static let presence = "presenceTracingParameters"
    static let discarded = "cwa-app-android discards the whole configuration without it"

    @Test(
        "a value that would break phones is refused with its field; the nearest valid value is accepted",
        arguments: parts + riskCalculation + operatingSystems + presenceTracing + privacy + certificates + firstApps
            + statistics + posters + certificateLists)
    func rules(rule: Case) throws {
        let json = try rule.edit.applied(to: Fixtures.everyField(of: rule.message))
        guard let finding = rule.finding else {
            _ = try rule.message.encode(json: json)
            return
        }
        let refusal = #expect(throws: InvalidMessage.self) { try rule.message.encode(json: json) }
        #expect(refusal?.findings.first == finding)
        // Many apps would trip over one slip; an operator reads what it is.
        #expect(refusal?.findings.count == 1, "\(refusal?.description ?? "")")
    }

    @Test("no number may be NaN, in any field", arguments: StaticMessage.allCases)
    func notANumber(message: StaticMessage) throws {
        let document = try Fixtures.everyField(of: message)
        for leaf in try JSONEdit.leaves(of: document) where !leaf.isText {
            let json = try JSONEdit(path: leaf.path, value: #""NaN""#).applied(to: document)
            #expect(throws: InvalidMessage.self, "\(leaf.path)") { try message.encode(json: json) }
        }
    }

    @Test(
        "no enumeration may have an unknown value, and no string may be a number",
        arguments: StaticMessage.allCases)
    func unknownValues(message: StaticMessage) throws {
        let document = try Fixtures.everyField(of: message)
        for leaf in try JSONEdit.leaves(of: document) where leaf.isText {
            // Numbers of 64 bits are texts in protobuf JSON, and may be numbers.
            if leaf.path.hasSuffix("pdatedAt") || leaf.path.hasSuffix("VersionCode") { continue }
            let json = try JSONEdit(path: leaf.path, value: "99").applied(to: document)
            #expect(throws: InvalidMessage.self, "\(leaf.path)") { try message.encode(json: json) }
        }
    }

    @Test("several errors are all reported")
    func several() throws {
        let json = Array(#"{"minRiskScore": -1, "supportedCountries": ["FR", "DE"]}"#.utf8)
        let refusal = #expect(throws: InvalidMessage.self) {
            try StaticMessage.applicationConfiguration.encode(json: json)
        }
        #expect(
            refusal?.findings == [
                "minRiskScore must be at least 0.", "riskScoreClasses is missing.", "exposureConfig is missing.",
                "attenuationDuration is missing.",
                "supportedCountries must be in alphabetical order, each country once.",
            ])
    }

    @Test("a message that was encoded elsewhere must follow the same rules")
    func encoded() throws {
        let good = try Self.ios.encode(json: Fixtures.everyField(of: Self.ios))
        try Self.ios.review(encoded: good)
        // Field 1000, which isn't known here, is let pass.
        try Self.ios.review(encoded: good + [0xC0, 0x3E, 1])
        // A minVersion of 200.
        let bad = #expect(throws: InvalidMessage.self) { try Self.ios.review(encoded: good + [0x0A, 3, 8, 0xC8, 1]) }
        #expect(bad?.findings == ["minVersion must not be above latestVersion."])
        let cut = #expect(throws: InvalidMessage.self) { try Self.ios.review(encoded: good.dropLast()) }
        #expect(cut?.findings == ["The bytes are not the message that this path carries."])
    }
}
