import SwiftProtobuf

/// The app and its phone (cwa-ppa-server, `PPAClientMetadataIOS` and `PPAClientMetadataAndroid`).
package struct AppClient: Hashable, Sendable {
    /// Of the app.
    package var version: SemanticVersion
    /// What it runs on.
    package var system: System
    /// The tag (`ETag`) of the configuration that the app uses: letters, digits and a few signs, ``longestTag`` at most.
    package var configurationTag: String

    /// From which route a request came.
    package enum Platform: String, Hashable, Sendable, CaseIterable {
        /// Apple's.
        case iOS = "ios"
        /// Google's.
        case android
    }

    /// What an app runs on.
    package enum System: Hashable, Sendable {
        /// Apple's.
        case iOS(SemanticVersion)
        /// Google's; the API level, and the version of its exposure notifications.
        case android(apiLevel: Int32, exposureNotifications: Int64)

        /// Whose.
        package var platform: Platform {
            switch self {
            case .iOS: .iOS
            case .android: .android
            }
        }
    }

    /// Characters: an ETag of today's has up to 40.
    package static let longestTag = 64
    private static let depth = 2

    /// A client from its parts.
    package init(version: SemanticVersion, system: System, configurationTag: String = "") {
        self.version = version
        self.system = system
        self.configurationTag = configurationTag
    }
}

/// A version of three numbers.
package struct SemanticVersion: Hashable, Sendable, Comparable {
    /// Changes with what isn't compatible.
    package var major: Int32
    /// Changes with what is new.
    package var minor: Int32
    /// Changes with what was mended.
    package var patch: Int32

    /// Larger numbers aren't versions.
    private static let largest: UInt32 = 99_999

    /// A version from its parts.
    package init(_ major: Int32, _ minor: Int32, _ patch: Int32) {
        self.major = major
        self.minor = minor
        self.patch = patch
    }

    /// The numbers with full stops between them.
    package var text: String { "\(major).\(minor).\(patch)" }

    /// Whether the left one is older.
    package static func < (left: SemanticVersion, right: SemanticVersion) -> Bool {
        (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
    }
}

extension AppClient {
    init(decoding bytes: [UInt8], on platform: Platform) throws(DonationFlaw) {
        switch platform {
        case .iOS:
            let wire: WireIOSClient = try .read(bytes, depth: Self.depth)
            self.init(
                version: try SemanticVersion(wire.app), system: .iOS(try SemanticVersion(wire.system)),
                configurationTag: try Self.tag(wire.appConfigurationTag))
        case .android:
            let wire: WireAndroidClient = try .read(bytes, depth: Self.depth)
            guard let level = Int32(exactly: wire.apiLevel), level >= 0, wire.exposureNotificationVersion >= 0 else {
                throw .data
            }
            self.init(
                version: try SemanticVersion(wire.app),
                system: .android(apiLevel: level, exposureNotifications: wire.exposureNotificationVersion),
                configurationTag: try Self.tag(wire.appConfigurationTag))
        }
    }

    /// A tag is free text. Whatever doesn't look like one could name its sender.
    private static func tag(_ text: String) throws(DonationFlaw) -> String {
        guard text.utf8.count <= longestTag,
            text.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else { throw .data }
        return text
    }

    func encoded() throws(DonationFlaw) -> [UInt8] {
        switch system {
        case .iOS(let system):
            try WireIOSClient.with {
                $0.app = version.wire
                $0.system = system.wire
                $0.appConfigurationTag = configurationTag
            }.written()
        case .android(let apiLevel, let exposureNotifications):
            try WireAndroidClient.with {
                $0.app = version.wire
                $0.apiLevel = Int64(apiLevel)
                $0.exposureNotificationVersion = exposureNotifications
                $0.appConfigurationTag = configurationTag
            }.written()
        }
    }
}

extension SemanticVersion {
    init(_ wire: WireSemanticVersion) throws(DonationFlaw) {
        guard max(wire.major, wire.minor, wire.patch) <= Self.largest else { throw .data }
        self.init(Int32(wire.major), Int32(wire.minor), Int32(wire.patch))
    }

    var wire: WireSemanticVersion {
        .with {
            $0.major = UInt32(clamping: major)
            $0.minor = UInt32(clamping: minor)
            $0.patch = UInt32(clamping: patch)
        }
    }
}
