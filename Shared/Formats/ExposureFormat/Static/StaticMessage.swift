import FoundationEssentials
import StrictJSON
import SwiftProtobuf

/// A message that is published in a signed archive of its own, at a path that phones know.
///
/// The messages are those of
/// https://github.com/corona-warn-app/cwa-server/blob/main/common/protocols/src/main/proto/app/coronawarn/server/common/protocols/internal
///
/// Operators write it as protobuf JSON: fields by their names, enumerations by name, bytes in Base64.
package enum StaticMessage: String, CaseIterable, StaticContent {
    /// For apps that score exposures with version 1 of Exposure Notification.
    case applicationConfiguration = "ApplicationConfiguration"
    /// For iOS.
    case applicationConfigurationIOS = "ApplicationConfigurationIOS"
    /// For Android.
    case applicationConfigurationAndroid = "ApplicationConfigurationAndroid"
    /// Figures of the whole country.
    case statistics = "Statistics"
    /// Figures of a group of federal states.
    case localStatistics = "LocalStatistics"
    /// For iOS.
    case posterTemplateIOS = "QRCodePosterTemplateIOS"
    /// For Android.
    case posterTemplateAndroid = "QRCodePosterTemplateAndroid"
    /// The signers whose certificates are valid.
    case signers = "DscList"
    /// The signers of whose certificates some are revoked.
    case revocations = "RevocationKidList"
    /// The services that may ask for a certificate.
    case validationServices = "ValidationServiceAllowlist"
    /// The texts for codes in certificates, in a language.
    case valueSets = "ValueSets"

    /// The message that phones expect at a path of the tree, such as `version/v2/app_config_ios`; nil for paths of other
    /// messages, or of none.
    package init?(path: some StringProtocol) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.first == "version" else { return nil }
        switch parts.dropFirst() {
        case ["v1", "app_config_ios"], ["v2", "app_config_ios"]: self = .applicationConfigurationIOS
        case ["v1", "app_config_android"], ["v2", "app_config_android"]: self = .applicationConfigurationAndroid
        case ["v1", "stats"]: self = .statistics
        case ["v1", "qr_code_poster_template_ios"]: self = .posterTemplateIOS
        case ["v1", "qr_code_poster_template_android"]: self = .posterTemplateAndroid
        case ["v1", "ehn-dgc", "dscs"]: self = .signers
        case ["v1", "ehn-dgc", "validation-services"]: self = .validationServices
        case ["v1", "dcc-rl", "kid"]: self = .revocations
        case let rest where rest.count == 4 && rest.prefix(2) == ["v1", "ehn-dgc"]:
            guard parts[3].isLanguageCode, parts[4] == "value-sets" else { return nil }
            self = .valueSets
        case let rest where rest.count == 2 && rest.first == "v1" && Self.groups.contains(String(parts[2])):
            self = .localStatistics
        case let rest where rest.count == 5 && rest.prefix(3) == ["v1", "configuration", "country"]:
            guard parts[4].isCountryCode, parts[5] == "app_config" else { return nil }
            self = .applicationConfiguration
        default: return nil
        }
    }

    private static let groups = Set((1...7).map { "local_stats_\($0)" })

    /// In `distribution check` and `vigil inspect`.
    package var name: String { rawValue }

    /// The message's type.
    var type: any ReviewedMessage.Type {
        switch self {
        case .applicationConfiguration: WireApplicationConfiguration.self
        case .applicationConfigurationIOS: WireApplicationConfigurationIOS.self
        case .applicationConfigurationAndroid: WireApplicationConfigurationAndroid.self
        case .statistics: WireStatistics.self
        case .localStatistics: WireLocalStatistics.self
        case .posterTemplateIOS: WireQRCodePosterTemplateIOS.self
        case .posterTemplateAndroid: WireQRCodePosterTemplateAndroid.self
        case .signers: WireDscList.self
        case .revocations: WireRevocationKidList.self
        case .validationServices: WireValidationServiceAllowlist.self
        case .valueSets: WireValueSets.self
        }
    }

    /// Encodes the message of a JSON file after checking all its rules: the same bytes for the same content.
    ///
    /// Unknown and duplicate fields are refused, so that a typing error doesn't become a default.
    package func encode(json: [UInt8]) throws(InvalidMessage) -> [UInt8] { try type.encode(json: json) }

    /// Refuses a message that was encoded elsewhere if it breaks a rule. Unknown fields are allowed.
    package func review(encoded bytes: [UInt8]) throws(InvalidMessage) { try type.review(encoded: bytes) }

    /// What in content that breaks no rule looks like a mistake: sentences for the operator.
    package func notices(encoded bytes: [UInt8]) -> [String] { type.notices(encoded: bytes) }

    /// What encoded content says, as an operator would write it; unknown fields are left out.
    package func json(encoded bytes: [UInt8]) throws(InvalidMessage) -> JSONValue {
        do {
            let message = try type.init(serializedBytes: bytes)
            let json: [UInt8] = try message.jsonUTF8Bytes()
            return try StrictJSON.decode(JSONValue.self, from: Data(json))
        } catch {
            throw InvalidMessage(["The bytes are not the message that this path carries."])
        }
    }
}

extension ReviewedMessage {
    fileprivate static func encode(json: [UInt8]) throws(InvalidMessage) -> [UInt8] {
        let message: Self = try ProtobufJSON(json).decoded()
        try message.requireRules()
        do {
            return try message.serializedBytes()
        } catch {
            throw InvalidMessage(["The message can't be encoded."])
        }
    }

    fileprivate static func review(encoded bytes: [UInt8]) throws(InvalidMessage) {
        let message: Self
        do {
            message = try Self(serializedBytes: bytes)
        } catch {
            throw InvalidMessage(["The bytes are not the message that this path carries."])
        }
        try message.requireRules()
    }

    fileprivate static func notices(encoded bytes: [UInt8]) -> [String] {
        guard let message = try? Self(serializedBytes: bytes) else { return [] }
        var review = MessageReview()
        message.review(&review)
        return review.notices
    }

    private func requireRules() throws(InvalidMessage) {
        var review = MessageReview()
        self.review(&review)
        guard review.findings.isEmpty else { throw InvalidMessage(review.findings) }
    }
}

extension StringProtocol {
    /// Two capital letters (ISO 3166-1 alpha-2); that the country exists isn't checked.
    var isCountryCode: Bool { utf8.count == 2 && isCapitals }
    /// A country, or `EUR` for all of them.
    var isRegion: Bool { isCountryCode || self == "EUR" }

    /// Two small letters (ISO 639-1); that the language exists isn't checked.
    var isLanguageCode: Bool {
        utf8.count == 2 && utf8.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
    }

    private var isCapitals: Bool { utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) } }
}
