package import FoundationEssentials

/// What Google would say in a token of Play Integrity (developer.android.com, "Integrity verdicts"). Tests change any
/// part.
package struct SimulatedVerdict: Encodable, Hashable, Sendable {
    /// What the app asked for.
    package var requestDetails: RequestDetails
    /// What Google found out about the app.
    package var appIntegrity: AppIntegrity?
    /// What Google found out about the device.
    package var deviceIntegrity: DeviceIntegrity?
    /// What Google Play knows of the device's owner.
    package var accountDetails: AccountDetails?
    /// Only in answers that testers chose.
    package var testingDetails: TestingDetails?

    /// `requestDetails`.
    package struct RequestDetails: Encodable, Hashable, Sendable {
        /// The app, as the request names it.
        package var requestPackageName: String
        /// Of a classic request.
        package var nonce: String?
        /// Of a standard request.
        package var requestHash: String?
        /// A number, as text.
        package var timestampMillis: String
    }

    /// `appIntegrity`.
    package struct AppIntegrity: Encodable, Hashable, Sendable {
        /// `PLAY_RECOGNIZED`, `UNRECOGNIZED_VERSION` or `UNEVALUATED`.
        package var appRecognitionVerdict: String
        /// The app; nil if it wasn't evaluated.
        package var packageName: String?
        /// SHA-256 of its certificates, in Base64url; nil if it wasn't evaluated.
        package var certificateSha256Digest: [String]?
        /// A number, as text; nil if it wasn't evaluated.
        package var versionCode: String?
    }

    /// `deviceIntegrity`.
    package struct DeviceIntegrity: Encodable, Hashable, Sendable {
        /// `MEETS_DEVICE_INTEGRITY` and others; nil if the device meets nothing.
        package var deviceRecognitionVerdict: [String]?
    }

    /// `accountDetails`.
    package struct AccountDetails: Encodable, Hashable, Sendable {
        /// `LICENSED`, `UNLICENSED` or `UNEVALUATED`.
        package var appLicensingVerdict: String
    }

    /// `testingDetails`.
    package struct TestingDetails: Encodable, Hashable, Sendable {
        /// True in every such answer.
        package var isTestingResponse: Bool

        /// See the property.
        package init(isTestingResponse: Bool) {
            self.isTestingResponse = isTestingResponse
        }
    }

    /// The verdict about an app of Google Play on a good device. It is bound to nothing yet.
    package init(packageName: String, certificateDigests: [String], at instant: Date) {
        requestDetails = RequestDetails(
            requestPackageName: packageName,
            timestampMillis: String(Int64((instant.timeIntervalSince1970 * 1000).rounded())))
        appIntegrity = AppIntegrity(
            appRecognitionVerdict: "PLAY_RECOGNIZED", packageName: packageName,
            certificateSha256Digest: certificateDigests, versionCode: "42")
        deviceIntegrity = DeviceIntegrity(
            deviceRecognitionVerdict: [
                "MEETS_BASIC_INTEGRITY", "MEETS_DEVICE_INTEGRITY", "MEETS_STRONG_INTEGRITY",
            ])
        accountDetails = AccountDetails(appLicensingVerdict: "LICENSED")
    }

    /// Its JSON.
    package var json: [UInt8] {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return Array(try encoder.encode(self))
        }
    }
}
