package import Exposures
package import Venues

/// All rules that an app takes from its configuration. It keeps them, and works by them until the next configuration comes.
package struct AppRules: Codable, Hashable, Sendable {
    /// How keys are downloaded and how often they are compared.
    package let downloads: DownloadRules
    /// How exposure windows are judged.
    package let risk: RiskRules
    /// How the operating system reads published keys.
    package let keys: KeyMapping
    /// How visits to venues are judged, and what is reported of them.
    package let venues: VenueRules

    /// Rules from their parts.
    package init(
        downloads: DownloadRules = DownloadRules(), risk: RiskRules = .shipped, keys: KeyMapping = .shipped,
        venues: VenueRules = .shipped
    ) {
        self.downloads = downloads
        self.risk = risk
        self.keys = keys
        self.venues = venues
    }

    /// What an app is shipped with, and uses until it has fetched a configuration.
    package static let shipped = AppRules()

    /// The rules in an app's configuration, as ``StaticMessage`` encodes it.
    /// - Parameter region: whose packages the phone downloads.
    /// - Throws: ``InvalidMessage`` if the bytes are no configuration of a system, or if the configuration breaks a rule.
    package init(
        configuration bytes: [UInt8], of message: StaticMessage, region: String
    ) throws(InvalidMessage) {
        self.init(
            downloads: try DownloadRules(configuration: bytes, of: message, region: region),
            risk: try RiskRules(configuration: bytes, of: message),
            keys: try KeyMapping(configuration: bytes, of: message),
            venues: try VenueRules(configuration: bytes, of: message))
    }
}
