package import ExposureKeys
import SwiftProtobuf

/// What an app's configuration says about downloading diagnosis keys and comparing them.
package struct DownloadRules: Codable, Hashable, Sendable {
    /// A package that was published by mistake. Phones that have this file drop it, and ask until there is another.
    package struct RevokedFile: Codable, Hashable, Sendable {
        private let dayNumber: Int32
        /// 0...23; nil for the package of the whole day.
        package let hour: Int?
        /// The file's entity tag; another file of the same name isn't revoked.
        package let etag: String

        /// The package's UTC day.
        package var day: Day { Day(number: dayNumber) }

        /// Creates the entry of a package.
        package init(day: Day, hour: Int?, etag: String) {
            dayNumber = day.number
            self.hour = hour
            self.etag = etag
        }
    }

    /// Files that are not to be used.
    package let revoked: [RevokedFile]
    /// How often a phone may look for exposures in 24 hours; 0 for never. The operating systems allow six.
    package let detectionsPerDay: Int

    /// What phones do that have no configuration yet.
    package init(revoked: [RevokedFile] = [], detectionsPerDay: Int = 6) {
        self.revoked = revoked
        self.detectionsPerDay = detectionsPerDay
    }

    /// The rules in an app's configuration, as ``StaticMessage`` encodes it.
    /// - Parameter region: whose packages the phone downloads.
    /// - Throws: ``InvalidMessage`` if the bytes are no configuration of a system, or if the configuration breaks a rule.
    package init(
        configuration bytes: [UInt8], of message: StaticMessage, region: String
    ) throws(InvalidMessage) {
        try message.review(encoded: bytes)
        let days: [WireDayPackageMetadata]
        let hours: [WireHourPackageMetadata]
        switch message {
        case .applicationConfigurationIOS:
            let configuration = try? WireApplicationConfigurationIOS(serializedBytes: bytes)
            days = configuration?.keyDownloadParameters.revokedDayPackages ?? []
            hours = configuration?.keyDownloadParameters.revokedHourPackages ?? []
            detectionsPerDay = Int(configuration?.exposureDetectionParameters.maxExposureDetectionsPerInterval ?? 0)
        case .applicationConfigurationAndroid:
            let configuration = try? WireApplicationConfigurationAndroid(serializedBytes: bytes)
            days = configuration?.keyDownloadParameters.revokedDayPackages ?? []
            hours = configuration?.keyDownloadParameters.revokedHourPackages ?? []
            detectionsPerDay = Int(configuration?.exposureDetectionParameters.maxExposureDetectionsPerInterval ?? 0)
        default: throw InvalidMessage(["The message is no configuration with rules for downloads."])
        }
        revoked =
            days.filter { $0.region == region }.compactMap { file in
                Day(name: file.date).map { RevokedFile(day: $0, hour: nil, etag: file.etag) }
            }
            + hours.filter { $0.region == region }.compactMap { file in
                Day(name: file.date).map { RevokedFile(day: $0, hour: Int(file.hour), etag: file.etag) }
            }
    }
}
