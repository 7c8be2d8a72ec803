import CompactJOSE
package import FoundationEssentials
import StrictJSON

/// What Google says of a request, an app and a device: the payload of a token (developer.android.com, "Integrity
/// verdicts").
///
/// A value says that the judgement is Google's, and nothing of what it is worth: see ``PlayIntegrityPolicy``.
package struct PlayIntegrityVerdict: Hashable, Sendable {
    /// The app that asked, as the request said. It proves nothing.
    package let requestPackageName: String
    /// What the judgement is bound to.
    package let binding: Binding
    /// When the app asked.
    package let instant: Date
    /// Whether Google knows the app.
    package let recognition: Recognition
    /// The app that Google found; nil if it wasn't judged.
    package let packageName: String?
    /// SHA-256 of the certificates with which the app was signed, each in Base64url.
    package let certificateDigests: [String]
    /// The best that Google says of the device; nil if nothing good.
    package let strength: DeviceStrength?
    /// Whether Google Play says that the device's owner got the app there (`LICENSED`).
    package let isLicensed: Bool
    /// Whether a tester chose the answer in the Play Console.
    package let isTest: Bool

    /// The two kinds of requests bind in different ways.
    package enum Binding: Hashable, Sendable {
        /// Of a classic request.
        case nonce(String)
        /// Of a standard request.
        case requestHash(String)
    }

    /// `appRecognitionVerdict`. A value that isn't listed here counts as the last one.
    package enum Recognition: String, Hashable, Sendable, CaseIterable {
        /// It is a version that Google Play distributes.
        case recognised = "PLAY_RECOGNIZED"
        /// Its certificate or package isn't.
        case unrecognised = "UNRECOGNIZED_VERSION"
        /// Google didn't judge it: the device isn't good enough, or the token was decoded before.
        case unevaluated = "UNEVALUATED"
    }

    /// `deviceRecognitionVerdict`, from weak to strong. What emulators get (`MEETS_VIRTUAL_INTEGRITY`) counts for
    /// nothing.
    package enum DeviceStrength: String, Hashable, Sendable, CaseIterable, Comparable {
        /// It passes basic checks; its owner may have changed the system.
        case basic = "MEETS_BASIC_INTEGRITY"
        /// It is certified for Google Play.
        case device = "MEETS_DEVICE_INTEGRITY"
        /// Its hardware proves that, too.
        case strong = "MEETS_STRONG_INTEGRITY"

        private var rank: Int {
            switch self {
            case .basic: 1
            case .device: 2
            case .strong: 3
            }
        }

        /// Whether the left one promises less.
        package static func < (left: DeviceStrength, right: DeviceStrength) -> Bool { left.rank < right.rank }
    }
}

extension PlayIntegrityVerdict {
    /// Reads what a token contains.
    init(payload: [UInt8]) throws(PlayIntegrityFlaw) {
        guard let read = try? StrictJSON.decode(Payload.self, from: Data(payload)) else {
            throw .unreadable
        }
        let request = read.requestDetails
        switch (request.nonce, request.requestHash) {
        case (let nonce?, nil): binding = .nonce(nonce)
        case (nil, let hash?): binding = .requestHash(hash)
        default: throw .unreadable
        }
        instant = try Self.instant(request.timestampMillis)
        requestPackageName = request.requestPackageName
        recognition = Recognition(rawValue: read.appIntegrity.appRecognitionVerdict) ?? .unevaluated
        packageName = read.appIntegrity.packageName
        certificateDigests = read.appIntegrity.certificateSha256Digest ?? []
        strength = read.deviceIntegrity?.deviceRecognitionVerdict?.compactMap { DeviceStrength(rawValue: $0) }.max()
        isLicensed = read.accountDetails?.appLicensingVerdict == "LICENSED"
        isTest = read.testingDetails?.isTestingResponse ?? false
    }

    /// Digits of a time in milliseconds until the year 2286.
    private static let mostDigits = 13

    private static func instant(_ milliseconds: String) throws(PlayIntegrityFlaw) -> Date {
        let isNumber = milliseconds.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard isNumber, milliseconds.utf8.count <= mostDigits, let number = Int64(milliseconds) else {
            throw .unreadable
        }
        return Date(timeIntervalSince1970: Double(number) / 1000)
    }

    /// The members that count. Google adds others from time to time.
    private struct Payload: Decodable {
        let requestDetails: RequestDetails
        let appIntegrity: AppIntegrity
        let deviceIntegrity: DeviceIntegrity?
        let accountDetails: AccountDetails?
        let testingDetails: TestingDetails?

        struct RequestDetails: Decodable {
            let requestPackageName: String
            let nonce: String?
            let requestHash: String?
            let timestampMillis: String
        }
        struct AppIntegrity: Decodable {
            let appRecognitionVerdict: String
            let packageName: String?
            let certificateSha256Digest: [String]?
        }
        struct DeviceIntegrity: Decodable {
            let deviceRecognitionVerdict: [String]?
        }
        struct AccountDetails: Decodable {
            let appLicensingVerdict: String?
        }
        struct TestingDetails: Decodable {
            let isTestingResponse: Bool
        }
    }
}
