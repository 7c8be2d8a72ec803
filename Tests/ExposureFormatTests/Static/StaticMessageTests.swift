import ExposureFormat
import Foundation
import TestSupport
import Testing

@Suite("Static messages", .heavy)
struct StaticMessageTests {
    // MARK: Paths

    @Test(
        "a path determines its message",
        arguments: [
            ("version/v1/configuration/country/DE/app_config", StaticMessage.applicationConfiguration),
            ("version/v1/configuration/country/FR/app_config", .applicationConfiguration),
            ("version/v1/app_config_ios", .applicationConfigurationIOS),
            ("version/v2/app_config_ios", .applicationConfigurationIOS),
            ("version/v1/app_config_android", .applicationConfigurationAndroid),
            ("version/v2/app_config_android", .applicationConfigurationAndroid),
            ("version/v1/stats", .statistics), ("version/v1/local_stats_1", .localStatistics),
            ("version/v1/local_stats_7", .localStatistics),
            ("version/v1/qr_code_poster_template_ios", .posterTemplateIOS),
            ("version/v1/qr_code_poster_template_android", .posterTemplateAndroid),
            ("version/v1/ehn-dgc/dscs", .signers), ("version/v1/ehn-dgc/validation-services", .validationServices),
            ("version/v1/ehn-dgc/de/value-sets", .valueSets), ("version/v1/dcc-rl/kid", .revocations),
        ] as [(String, StaticMessage)])
    func paths(path: String, message: StaticMessage) {
        #expect(StaticMessage(path: path) == message)
    }

    @Test(
        "other paths carry none",
        arguments: [
            "", "version", "version/v1", "version/v3/app_config_ios", "v1/app_config_ios", "version/v1/app_config",
            "version/v1/app_config_ios/", "/version/v1/app_config_ios", "version//v1/app_config_ios",
            "version/v2/stats", "version/v1/local_stats_0", "version/v1/local_stats_8", "version/v1/local_stats_01",
            "version/v1/local_stats_", "version/v1/configuration/country/de/app_config",
            "version/v1/configuration/country/DEU/app_config", "version/v2/configuration/country/DE/app_config",
            "version/v1/configuration/country/DE", "version/v1/configuration/country/DE/app_config_ios",
            "version/v1/ehn-dgc", "version/v1/ehn-dgc/de", "version/v1/ehn-dgc/DE/value-sets",
            "version/v1/ehn-dgc/deu/value-sets", "version/v2/ehn-dgc/dscs", "version/v1/dcc-rl/0a",
            "version/v1/App_config_ios",
        ])
    func otherPaths(path: String) {
        #expect(StaticMessage(path: path) == nil)
    }

    // MARK: JSON

    private static let ios = StaticMessage.applicationConfigurationIOS

    @Test("the order of fields, map entries and spaces in the file doesn't matter", arguments: StaticMessage.allCases)
    func deterministic(message: StaticMessage) throws {
        let document = try Fixtures.everyField(of: message)
        let bytes = try message.encode(json: document)
        let json = try JSONSerialization.jsonObject(with: Data(document))
        for options in [[], .sortedKeys, .prettyPrinted] as [JSONSerialization.WritingOptions] {
            // Without an order asked for, it is another one in every process.
            let rewritten = Array(try JSONSerialization.data(withJSONObject: json, options: options))
            #expect(try message.encode(json: rewritten) == bytes)
        }
    }

    @Test("a map's entries are in the order of their keys")
    func maps() throws {
        let entries = (-14...14).shuffled().map { #""\#($0)": 1"# }.joined(separator: ", ")
        let edit = JSONEdit(
            path: "exposureConfiguration.infectiousnessForDaysSinceOnsetOfSymptoms", value: "{\(entries)}")
        let raw = try RawMessage(Self.ios.encode(json: edit.applied(to: Fixtures.everyField(of: Self.ios))))
        for day in 0..<29 {
            let key = try raw["8.1#\(day).1"]
            #expect(key == .integer(Int64(day - 14)))
        }
    }

    @Test(
        "an invalid value is reported with its field and line",
        arguments: [
            (#"{"minVersion": {}, "foo": 1}"#, "foo is not a field of this message (line 1)."),
            (
                "{\n\"minVersion\": {\n \"foo\": {\"bar\": 1}}}",
                "minVersion.foo is not a field of this message (line 3)."
            ),
            (
                #"{"appFeatures": {"appFeatures": [{"label": "a"}, {"lable": "b"}]}}"#,
                "appFeatures.appFeatures[1].lable is not a field of this message (line 1)."
            ),
            (
                #"{"minVersion": {"major": -1}}"#,
                "minVersion.major is not a number that this field can hold (line 1)."
            ),
            (
                #"{"minVersion": {"major": 1.5}}"#,
                "minVersion.major is not a number that this field can hold (line 1)."
            ),
            (
                #"{"riskCalculationParameters": {"trlFilters": [{"dropIfTrlInRange": {"minExclusive": 1}}]}}"#,
                "riskCalculationParameters.trlFilters[0].dropIfTrlInRange.minExclusive must be true or false (line 1)."
            ),
            (
                #"{"presenceTracingParameters": {"qrCodeErrorCorrectionLevel": "BEST"}}"#,
                "presenceTracingParameters.qrCodeErrorCorrectionLevel is not a value of this field's enumeration (line 1)."
            ),
            (
                #"{"appFeatures": {"appFeatures": [null]}}"#,
                "appFeatures.appFeatures[0] must not be null (line 1)."
            ),
            (#"{"supportedCountries": ["DE", 5]}"#, "supportedCountries[1] must be a string (line 1)."),
        ])
    func misfit(json: String, finding: String) {
        let refusal = #expect(throws: InvalidMessage.self) { try Self.ios.encode(json: Array(json.utf8)) }
        #expect(refusal?.findings == [finding])
    }

    @Test("every unknown field is reported")
    func misfits() {
        let json = Array(#"{"one": 1, "minVersion": {"two": [2]}, "three": {"four": 4}}"#.utf8)
        let refusal = #expect(throws: InvalidMessage.self) { try Self.ios.encode(json: json) }
        #expect(
            refusal?.findings == [
                "one is not a field of this message (line 1).",
                "minVersion.two is not a field of this message (line 1).",
                "three is not a field of this message (line 1).",
            ])
    }

    @Test("at most twenty faults are reported")
    func manyMisfits() {
        let members = (1...20_000).map { #""field\#($0)": 1"# }.joined(separator: ",\n")
        let refusal = #expect(throws: InvalidMessage.self) { try Self.ios.encode(json: Array("{\(members)}".utf8)) }
        #expect(refusal?.findings.count == 20)
    }

    @Test("the invalid one of many elements is reported")
    func needle() {
        let elements = (1...20_000).map { $0 == 15_000 ? "1.5" : "\($0)" }.joined(separator: ",\n")
        let json = Array(#"{"cardIdSequence": [\#(elements)]}"#.utf8)
        let refusal = #expect(throws: InvalidMessage.self) { try StaticMessage.statistics.encode(json: json) }
        #expect(
            refusal?.findings == [
                "cardIdSequence[14999] is not a number that this field can hold (line 15000)."
            ])
    }

    @Test(
        "a text that isn't a JSON object is refused with the line",
        arguments: [
            ("", "The JSON lacks a value (line 1)."), ("{", "The JSON lacks a name in quotation marks (line 1)."),
            ("[]", "The JSON is not an object."), ("null", "The JSON is not an object."),
            ("{}{}", "The JSON has text after its end (line 1)."),
            ("{\"a\": 1,\n\"a\": 2}", "The JSON has \"a\" twice in the same object (line 2)."),
            ("{\"a\" 1}", "The JSON lacks a colon (line 1)."), ("{\"a\": }", "The JSON lacks a value (line 1)."),
            ("{\"a\": 1 \"b\": 2}", "The JSON lacks a comma or a closing brace (line 1)."),
            ("{\"a\": 1,}", "The JSON lacks a name in quotation marks (line 1)."),
            ("{\"a\": [1 2]}", "The JSON lacks a comma or a closing bracket (line 1)."),
            ("{\"a\": \"1}", "The JSON lacks a closing quotation mark (line 1)."),
            ("{\"a\": \"\\", "The JSON lacks a closing quotation mark (line 1)."),
            ("{\"a\u{1B}\": 1}", "The JSON has a control character in a string (line 1)."),
            (String(repeating: "[", count: 100_000), "The JSON is nested too deeply (line 1)."),
            (
                String(repeating: "{\"minVersion\":", count: 40) + String(repeating: "}", count: 40),
                "The JSON is nested too deeply (line 1)."
            ),
        ])
    func notJSON(json: String, finding: String) {
        let refusal = #expect(throws: InvalidMessage.self) { try Self.ios.encode(json: Array(json.utf8)) }
        #expect(refusal?.findings == [finding])
    }

    @Test("bytes that aren't UTF-8 are refused")
    func notText() {
        let refusal = #expect(throws: InvalidMessage.self) {
            try Self.ios.encode(json: [0x7B, 0x22, 0xFF, 0x22, 0x7D])
        }
        #expect(refusal?.findings == ["The file is not JSON in UTF-8."])
    }

    @Test(
        "a mutated file is either encoded and valid, or refused with a sentence",
        arguments: StaticMessage.allCases)
    func mutations(message: StaticMessage) throws {
        var randomness = SeededGenerator(seed: 0x7374_6174_6963)
        let document = Data(try Fixtures.everyField(of: message))
        var (encoded, refused) = (0, 0)
        for _ in 0..<600 {
            let json = Array(document.mutated(using: &randomness))
            do throws(InvalidMessage) {
                let bytes = try message.encode(json: json)
                try message.review(encoded: bytes)
                encoded += 1
            } catch {
                #expect(!error.findings.isEmpty && error.findings.allSatisfy { $0.hasSuffix(".") })
                refused += 1
            }
        }
        #expect(encoded > 0 && refused > 200)
    }

    @Test(
        "whatever bytes are handed in as a message, they are reviewed without harm", arguments: StaticMessage.allCases)
    func mutatedBytes(message: StaticMessage) throws {
        var randomness = SeededGenerator(seed: 0x6279_7465_73)
        let bytes = Data(try message.encode(json: Fixtures.everyField(of: message)))
        for _ in 0..<600 {
            let changed = Array(bytes.mutated(using: &randomness))
            do throws(InvalidMessage) {
                try message.review(encoded: changed)
            } catch {
                #expect(!error.findings.isEmpty)
            }
        }
    }

    // MARK: What comes with the suite

    /// Paths with which the published apps (cwa-app-android 3.2.1, cwa-app-ios 3.2.3) ask for static files.
    private static let asked =
        [
            "version/v2/app_config_android", "version/v2/app_config_ios", "version/v1/stats",
            "version/v1/qr_code_poster_template_android", "version/v1/qr_code_poster_template_ios",
            "version/v1/ehn-dgc/dscs", "version/v1/ehn-dgc/validation-services",
            "version/v1/ehn-dgc/onboarded-countries", "version/v1/ehn-dgc/acceptance-rules",
            "version/v1/ehn-dgc/invalidation-rules", "version/v1/booster-notification-rules",
            "version/v1/ccl/config-v3", "version/v1/dcc-rl/kid",
        ] + (1...7).map { "version/v1/local_stats_\($0)" }
        + ["bg", "de", "en", "pl", "ro", "tr", "uk"].map { "version/v1/ehn-dgc/\($0)/value-sets" }

    @Test("deploy/static has a valid file for every path that the apps ask for, and none without a rule")
    func shipped() throws {
        let root = Fixtures.staticFolder
        let paths = try FileManager.default.subpathsOfDirectory(atPath: root.path)
            .filter { $0.hasSuffix(".json") }
            .map { String($0.dropLast(".json".count)).replacing("/ORIGIN/", with: "/DE/") }
        #expect(Set(paths).isSuperset(of: Self.asked))
        // Beside these there are configurations of earlier apps.
        #expect(paths.count == Self.asked.count + 3)
        for path in paths {
            let content = try #require(staticContent(at: path), "\(path)")
            let json = try Fixtures.shipped(path)
            #expect(throws: Never.self, "\(path)") { try content.encode(json: json) }
        }
    }
}
