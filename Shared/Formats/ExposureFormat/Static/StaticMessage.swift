import SwiftProtobuf

/// A message that is published in a signed archive of its own, at a path that phones know. The messages are those of
/// https://github.com/corona-warn-app/cwa-server/blob/main/common/protocols/src/main/proto/app/coronawarn/server/common/protocols/internal
///
/// Operators write it as protobuf JSON: fields by their names, enumerations by name, bytes in Base64.
package enum StaticMessage: String, CaseIterable, Sendable {
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

    /// The message that phones expect at a path of the tree, such as `version/v2/app_config_ios`; nil for paths of other
    /// messages, or of none.
    package init?(path: some StringProtocol) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.first == "version" else { return nil }
        switch parts.dropFirst() {
        case ["v1", "app_config_ios"], ["v2", "app_config_ios"]: self = .applicationConfigurationIOS
        case ["v1", "app_config_android"], ["v2", "app_config_android"]: self = .applicationConfigurationAndroid
        case ["v1", "stats"]: self = .statistics
        case let rest where rest.count == 2 && rest.first == "v1" && Self.groups.contains(String(parts[2])):
            self = .localStatistics
        case let rest where rest.count == 5 && rest.prefix(3) == ["v1", "configuration", "country"]:
            guard parts[4].isCountryCode, parts[5] == "app_config" else { return nil }
            self = .applicationConfiguration
        default: return nil
        }
    }

    private static let groups = Set((1...7).map { "local_stats_\($0)" })

    /// Encodes the message of a JSON file after checking all its rules: the same bytes for the same content.
    ///
    /// Unknown and duplicate fields are refused, so that a typing error doesn't become a default.
    package func encode(json: [UInt8]) throws(InvalidMessage) -> [UInt8] {
        switch self {
        case .applicationConfiguration: try Self.encode(json, WireApplicationConfiguration.self)
        case .applicationConfigurationIOS: try Self.encode(json, WireApplicationConfigurationIOS.self)
        case .applicationConfigurationAndroid: try Self.encode(json, WireApplicationConfigurationAndroid.self)
        case .statistics: try Self.encode(json, WireStatistics.self)
        case .localStatistics: try Self.encode(json, WireLocalStatistics.self)
        }
    }

    /// Refuses a message that was encoded elsewhere if it breaks a rule. Unknown fields are allowed.
    package func review(encoded bytes: [UInt8]) throws(InvalidMessage) {
        switch self {
        case .applicationConfiguration: try Self.review(bytes, WireApplicationConfiguration.self)
        case .applicationConfigurationIOS: try Self.review(bytes, WireApplicationConfigurationIOS.self)
        case .applicationConfigurationAndroid: try Self.review(bytes, WireApplicationConfigurationAndroid.self)
        case .statistics: try Self.review(bytes, WireStatistics.self)
        case .localStatistics: try Self.review(bytes, WireLocalStatistics.self)
        }
    }

    private static func encode<Content: ReviewedMessage>(
        _ json: [UInt8], _ type: Content.Type
    ) throws(InvalidMessage) -> [UInt8] {
        let message: Content = try ProtobufJSON(json).decoded()
        try review(message)
        var options = BinaryEncodingOptions()
        options.useDeterministicOrdering = true
        do {
            return try message.serializedBytes(options: options)
        } catch {
            throw InvalidMessage(["The message can't be encoded."])
        }
    }

    private static func review<Content: ReviewedMessage>(
        _ bytes: [UInt8], _ type: Content.Type
    ) throws(InvalidMessage) {
        let message: Content
        do {
            message = try Content(serializedBytes: bytes)
        } catch {
            throw InvalidMessage(["The bytes are not the message that this path carries."])
        }
        try review(message)
    }

    private static func review(_ message: some ReviewedMessage) throws(InvalidMessage) {
        var review = MessageReview()
        message.review(&review)
        guard review.findings.isEmpty else { throw InvalidMessage(review.findings) }
    }
}

extension StringProtocol {
    /// Two capital letters (ISO 3166-1 alpha-2); that the country exists isn't checked.
    var isCountryCode: Bool { utf8.count == 2 && isCapitals }
    /// A country, or `EUR` for all of them.
    var isRegion: Bool { isCountryCode || self == "EUR" }

    private var isCapitals: Bool { utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) } }
}
