import AppAttest
import Certificates
import CompactJOSE
import DeviceCheck
import FoundationEssentials
import Logging
import PlayIntegrity
import Running

/// The kinds of evidence. The text is that of the settings `accept.*`.
enum Proof: String, CaseIterable, Sendable {
    case appAttest = "app-attest"
    case deviceCheck = "device-check"
    case playIntegrity = "play-integrity"

    /// What a purpose accepts, from `accept.NAME`: by default all kinds that are configured.
    static func accepted(_ settings: Settings, configured: Set<Proof>) throws(ConfigurationProblem) -> [Purpose: Set<
        Proof
    >] {
        var accepted: [Purpose: Set<Proof>] = [:]
        for purpose in Purpose.allCases {
            let key = "accept.\(purpose.name)"
            let names = settings.list(key)
            let proofs = names.compactMap(Proof.init)
            guard proofs.count == names.count else {
                throw settings.wrong(key, "must list some of \(Proof.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            guard configured.isSuperset(of: proofs) else {
                throw settings.wrong(key, "lists evidence for which there are no settings")
            }
            accepted[purpose] = names.isEmpty ? configured : Set(proofs)
        }
        return accepted
    }
}

/// What is needed to verify an iPhone's evidence; nil for a kind that isn't accepted.
struct IPhoneProofs: Sendable {
    let appAttest: AppAttestPolicy?
    let deviceCheck: DeviceCheckClient?
    let accepted: [Purpose: Set<Proof>]

    /// From `appAttest.apps`, `.roots`, `.environments` and `.categories`; nil if the first isn't set.
    ///
    /// Another authority than Apple's is for development: who has its key can admit any phone. It is logged.
    static func appAttest(_ settings: Settings, _ logger: Logger) throws(ConfigurationProblem) -> AppAttestPolicy? {
        let names = settings.list("appAttest.apps")
        guard !names.isEmpty else { return nil }
        let apps = names.compactMap(AppID.init)
        guard apps.count == names.count else {
            throw settings.wrong("appAttest.apps", "must list App IDs, such as A1B2C3D4E5.org.example.app")
        }
        let environmentNames = settings.list("appAttest.environments")
        let environments = environmentNames.compactMap(AppAttestEnvironment.init)
        guard environments.count == environmentNames.count else {
            throw settings.wrong("appAttest.environments", "must list some of production, development")
        }
        let categoryNames = settings.list("appAttest.categories")
        let categories = categoryNames.compactMap(UInt32.init).map(ValidationCategory.init)
        guard categories.count == categoryNames.count else {
            throw settings.wrong("appAttest.categories", "must list Apple's numbers, such as 4 for the App Store")
        }
        let pem =
            settings.optionalString("appAttest.roots") == nil
            ? AppleAppAttestRoot.pem : try settings.text("appAttest.roots")
        guard let roots = PinnedRoots(pem: pem) else {
            throw settings.wrong("appAttest.roots", "must name a PEM file with certificates of authorities")
        }
        if roots.digests != [AppleAppAttestRoot.digest] {
            logger.warning("app attest trusts an authority other than apple's: for development only")
        }
        return AppAttestPolicy(
            apps: Set(apps), environments: environments.isEmpty ? [.production] : Set(environments),
            categories: categories.isEmpty ? [.appStore] : Set(categories), roots: roots)
    }
}

/// What is needed to verify Android's evidence; a purpose without a policy doesn't accept its kind.
struct AndroidProofs: Sendable {
    let keys: PlayIntegrityKeys?
    let playIntegrity: [Purpose: PlayIntegrityPolicy]

    /// From `playIntegrity.decryptionKey` and `.verificationKey`; nil if the first isn't set.
    static func keys(_ settings: Settings) throws(ConfigurationProblem) -> PlayIntegrityKeys? {
        guard settings.optionalString("playIntegrity.decryptionKey") != nil else { return nil }
        let decryption = try settings.text("playIntegrity.decryptionKey")
        let verification = try settings.text("playIntegrity.verificationKey")
        do throws(UnusablePlayIntegrityKey) {
            return try PlayIntegrityKeys(decryption: decryption, verification: verification)
        } catch {
            let key = error == .decryption ? "decryptionKey" : "verificationKey"
            throw settings.wrong("playIntegrity.\(key)", "names a file that can't be used. \(error)")
        }
    }

    /// - Parameter accepted: what each purpose accepts.
    init(
        _ settings: Settings, keys: PlayIntegrityKeys?, accepted: [Purpose: Set<Proof>]
    ) throws(ConfigurationProblem) {
        self.keys = keys
        var playIntegrity: [Purpose: PlayIntegrityPolicy] = [:]
        if keys != nil {
            let apps = try AndroidApps(settings)
            for purpose in Purpose.allCases where accepted[purpose]?.contains(.playIntegrity) == true {
                playIntegrity[purpose] = try Self.playIntegrity(settings, apps, purpose)
            }
        }
        self.playIntegrity = playIntegrity
    }

    private static func playIntegrity(
        _ settings: Settings, _ apps: AndroidApps, _ purpose: Purpose
    ) throws(ConfigurationProblem) -> PlayIntegrityPolicy {
        let key = "playIntegrity.strength.\(purpose.name)"
        let strengths: [String: PlayIntegrityVerdict.DeviceStrength] =
            ["basic": .basic, "device": .device, "strong": .strong]
        guard let strength = strengths[settings.string(key, default: purpose.isCritical ? "strong" : "device")] else {
            throw settings.wrong(key, "must be basic, device or strong")
        }
        return PlayIntegrityPolicy(
            request: .classic, packageNames: apps.packages, certificateDigests: apps.certificates,
            tolerance: Double(try settings.int("playIntegrity.toleranceSeconds", default: 600, in: 60...7200)),
            demandsRecognition: try settings.bool("playIntegrity.demandsRecognition", default: true),
            demandsLicence: try settings.bool("playIntegrity.demandsLicence", default: false), strength: strength)
    }
}

/// From `android.packages` and `android.certificates`.
private struct AndroidApps {
    let packages: Set<String>
    let certificates: Set<[UInt8]>

    init(_ settings: Settings) throws(ConfigurationProblem) {
        packages = Set(settings.list("android.packages"))
        guard !packages.isEmpty else { throw settings.missing("android.packages") }
        let digests = settings.list("android.certificates")
        certificates = Set(digests.compactMap(PaddedBase64.bytes).filter { $0.count == 32 })
        guard !digests.isEmpty, certificates.count == digests.count else {
            throw settings.wrong("android.certificates", "must list SHA-256 digests of signing certificates in Base64")
        }
    }
}
