import FoundationEssentials
import StrictJSON

/// A list in CBOR that is published in a signed archive of its own, at a path that phones know:
/// https://github.com/corona-warn-app/cwa-server/blob/main/services/distribution/src/main/java/app/coronawarn/server/services/distribution/assembly/component/DigitalGreenCertificateStructureProvider.java
///
/// Operators write it as JSON.
package enum StaticList: String, CaseIterable, StaticContent {
    /// The rules by which the apps rate certificates. The apps add them to those that they come with.
    case certificateLogic = "CCL configurations"
    /// The rules of countries for entry, for validity and for boosters.
    case certificateRules = "certificate rules"
    /// The countries that have such rules.
    case onboardedCountries = "onboarded countries"

    /// The list that phones expect at a path of the tree; nil for other paths.
    package init?(path: some StringProtocol) {
        switch path.split(separator: "/", omittingEmptySubsequences: false) {
        case ["version", "v1", "ehn-dgc", "onboarded-countries"]: self = .onboardedCountries
        case ["version", "v1", "ehn-dgc", "acceptance-rules"], ["version", "v1", "ehn-dgc", "invalidation-rules"],
            ["version", "v1", "booster-notification-rules"]:
            self = .certificateRules
        case let parts where parts.count == 4 && parts.prefix(3) == ["version", "v1", "ccl"]:
            // Apps ask for the version that they understand; current ones for 3.
            guard parts[3].hasPrefix("config-v"), let version = Int(parts[3].dropFirst(8)), version > 0,
                parts[3] == "config-v\(version)"
            else { return nil }
            self = .certificateLogic
        default: return nil
        }
    }

    /// In `distribution check` and `vigil inspect`.
    package var name: String { rawValue }

    /// Encodes the list of a JSON file after checking its rules: the same bytes for the same content.
    package func encode(json: [UInt8]) throws(InvalidMessage) -> [UInt8] {
        guard String(validating: json, as: UTF8.self) != nil else {
            throw InvalidMessage(["The file is not JSON in UTF-8."])
        }
        // Finds errors, duplicate names among them, with their lines.
        _ = try JSONOutline(json, maximumDepth: CBOR.maximumDepth)
        guard let value = try? StrictJSON.decode(JSONValue.self, from: Data(json)) else {
            throw InvalidMessage(["The file is not JSON."])
        }
        try review(value)
        return CBOR.encode(value)
    }

    /// Refuses a list that was encoded elsewhere if it breaks a rule.
    package func review(encoded bytes: [UInt8]) throws(InvalidMessage) {
        try review(try Self.decode(bytes))
    }

    /// What encoded content says, as an operator would write it.
    package func json(encoded bytes: [UInt8]) throws(InvalidMessage) -> JSONValue { try Self.decode(bytes) }

    private static func decode(_ bytes: [UInt8]) throws(InvalidMessage) -> JSONValue {
        guard let value = CBOR.decode(bytes) else {
            throw InvalidMessage(["The bytes are not the CBOR that this path carries."])
        }
        return value
    }

    private func review(_ value: JSONValue) throws(InvalidMessage) {
        var review = MessageReview()
        if case .array(let elements) = value {
            for (position, element) in elements.enumerated() {
                switch (self, element) {
                case (.onboardedCountries, .text(let country)):
                    review.require(country.isCountryCode, "[\(position)]", "must be a country of two capital letters")
                case (.onboardedCountries, _):
                    review.require(false, "[\(position)]", "must be a country of two capital letters")
                case (_, .object(let rule)):
                    review.requireText(of: rule, "Identifier", "[\(position)].")
                default: review.require(false, "[\(position)]", "must be an object")
                }
            }
        } else {
            review.require(false, "The list", "must be an array")
        }
        guard review.findings.isEmpty else { throw InvalidMessage(review.findings) }
    }
}

extension MessageReview {
    /// Both apps tell elements by it, and refuse the whole list if one has none.
    fileprivate mutating func requireText(of object: [String: JSONValue], _ name: String, _ place: String) {
        if case .text(let text)? = object[name], !text.isEmpty { return }
        require(
            false, place + name,
            "must be a text that isn't empty: cwa-app-android and cwa-app-ios refuse the whole list without it")
    }
}
