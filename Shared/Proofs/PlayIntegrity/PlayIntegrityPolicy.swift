import CompactJOSE
import Crypto
package import FoundationEssentials

/// What Google has to say of a request before it counts as a genuine app's.
package struct PlayIntegrityPolicy: Hashable, Sendable {
    /// The kind of request that the app makes.
    package let request: Request
    /// The apps.
    package let packageNames: Set<String>
    /// SHA-256 of the certificates with which they are signed, 32 bytes each.
    package let certificateDigests: Set<[UInt8]>
    /// Seconds by which the app's request may lie before or after now.
    package let tolerance: TimeInterval
    /// Whether Google Play must have distributed the app.
    package let demandsRecognition: Bool
    /// Whether the device's owner must have got it there.
    package let demandsLicence: Bool
    /// The least of a device; nil if any will do.
    package let strength: PlayIntegrityVerdict.DeviceStrength?

    /// They differ in the name of what binds them.
    package enum Request: String, Hashable, Sendable, CaseIterable {
        /// With a nonce.
        case classic
        /// With a request hash.
        case standard
    }

    /// See the properties.
    package init(
        request: Request, packageNames: Set<String>, certificateDigests: Set<[UInt8]>, tolerance: TimeInterval,
        demandsRecognition: Bool, demandsLicence: Bool, strength: PlayIntegrityVerdict.DeviceStrength?
    ) {
        self.request = request
        self.packageNames = packageNames
        self.certificateDigests = certificateDigests
        self.tolerance = tolerance
        self.demandsRecognition = demandsRecognition
        self.demandsLicence = demandsLicence
        self.strength = strength
    }

    /// What the app has to give as nonce or request hash: Base64url, without padding, of SHA-256 over salt and payload.
    /// Salts have one length, so that no byte can be in either.
    package static func binding(salt: some DataProtocol, payload: some DataProtocol) -> String {
        var hash = SHA256()
        hash.update(data: salt)
        hash.update(data: payload)
        return Base64URL.text(hash.finalize())
    }

    /// Throws the first demand that isn't met. An answer that a tester chose never counts.
    ///
    /// Google doesn't prevent that a classic token is shown twice.
    /// - Parameters:
    ///   - salt: whether it was used before is the caller's to find out.
    ///   - payload: its bytes as they were sent.
    package func check(
        _ verdict: PlayIntegrityVerdict, salt: some DataProtocol, payload: some DataProtocol, now: Date
    ) throws(PlayIntegrityFlaw) {
        guard verdict.binding == expected(Self.binding(salt: salt, payload: payload)) else { throw .binding }
        guard abs(verdict.instant.timeIntervalSince(now)) <= tolerance else { throw .stale }
        guard let packageName = verdict.packageName, verdict.recognition != .unevaluated else { throw .notJudged }
        guard packageNames.contains(packageName), packageName == verdict.requestPackageName else { throw .package }
        let digests = verdict.certificateDigests.map { Base64URL.bytes($0) }
        guard !digests.isEmpty, digests.allSatisfy({ $0.map(certificateDigests.contains) ?? false }) else {
            throw .signer
        }
        guard !demandsRecognition || verdict.recognition == .recognised else { throw .unrecognised }
        guard !demandsLicence || verdict.isLicensed else { throw .unlicensed }
        guard !verdict.isTest else { throw .testing }
        try checkStrength(of: verdict)
    }

    private func expected(_ text: String) -> PlayIntegrityVerdict.Binding {
        switch request {
        case .classic: .nonce(text)
        case .standard: .requestHash(text)
        }
    }

    private func checkStrength(of verdict: PlayIntegrityVerdict) throws(PlayIntegrityFlaw) {
        guard let strength, verdict.strength.map({ $0 < strength }) ?? true else { return }
        switch verdict.strength {
        case nil: throw .basicIntegrity
        case .basic: throw .deviceIntegrity
        case .device, .strong: throw .strongIntegrity
        }
    }
}
