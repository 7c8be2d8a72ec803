import AppAttest
import Certificates
import Credentials
import Crypto
import FoundationEssentials
import FurtherAPI
import HTTPContract
import HTTPTypes
import Logging
import Running
import Serving

/// `POST /keys`: remembers an app's public key. A repeat succeeds.
///
/// A key shows that two calls come from the same app, and not that it is the genuine one: that takes an attestation.
struct RegisterKey: Sendable {
    let signatures: Signatures
    /// Nil if no attestation is demanded.
    let attest: AttestedApps?
    let keys: KeyStore
    let clock: WallClock

    func handle(_ request: KeyRegistration, from caller: Caller) async throws -> KeyAnswer {
        guard signatures != .off else { throw Problem(.notFound) }
        guard let key = try? P256.Signing.PublicKey(x963Representation: request.publicKey) else {
            throw Problem.badRequest
        }
        guard let proof = try? P256.Signing.ECDSASignature(derRepresentation: request.proof),
            key.isValidSignature(proof, for: KeyRegistration.provedText(for: request.publicKey))
        else { throw Problem.unauthorized }
        let now = clock.now
        guard attest?.vouch(for: request, at: now) ?? true else { throw Problem.forbidden }
        let name = KeyName(of: request.publicKey)
        try await keys.insert(name, Array(request.publicKey), at: now)
        return KeyAnswer(name)
    }
}

/// The apps whose keys are taken: Apple attests a second key of theirs over the hash of the first.
struct AttestedApps: Sendable {
    private let policy: AppAttestPolicy

    init(_ policy: AppAttestPolicy) { self.policy = policy }

    /// From `appAttest.apps` and `appAttest.roots`; nil if the first isn't set.
    ///
    /// Another authority than Apple's is for development: who has its key can vouch for anybody. It is logged.
    init?(_ settings: Settings, _ logger: Logger) throws(ConfigurationProblem) {
        let names = settings.list("appAttest.apps")
        guard !names.isEmpty else { return nil }
        let apps = names.compactMap(AppID.init)
        guard apps.count == names.count else {
            throw settings.wrong("appAttest.apps", "must list App IDs, such as A1B2C3D4E5.org.example.app")
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
        policy = AppAttestPolicy(
            apps: Set(apps), environments: [.production], categories: [.appStore], roots: roots)
    }

    /// Whether Apple says that the app which asks is one of them.
    func vouch(for request: KeyRegistration, at now: Date) -> Bool {
        guard let attestation = request.attestation, let id = request.attestedKeyId.flatMap(AppAttestKeyID.init) else {
            return false
        }
        let hash = Digest(sha256: request.publicKey).bytes
        return (try? policy.verify(attestation: Array(attestation), keyID: id, clientDataHash: hash, now: now)) != nil
    }
}
