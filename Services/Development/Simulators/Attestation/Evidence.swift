import AppAttest
import DevelopmentAttestationAPI
import FoundationEssentials
import HTTPContract
package import Running

/// Evidence that phones get from Apple and Google, for made-up phones.
package struct Evidence: Sendable {
    private let apple: AppleAuthority
    private let playIntegrity: PlayIntegrityMint
    private let safetyNet: SafetyNetMint
    private let clock: WallClock

    /// See the parts.
    package init(
        apple: AppleAuthority, playIntegrity: PlayIntegrityMint, safetyNet: SafetyNetMint, clock: WallClock
    ) {
        self.apple = apple
        self.playIntegrity = playIntegrity
        self.safetyNet = safetyNet
        self.clock = clock
    }

    /// App Attest.
    /// - Throws: `Problem.badRequest` for a key, a hash or an App ID that isn't one.
    func attestation(_ query: AttestationQuery) throws -> AttestationAnswer {
        guard let point = Data(base64Encoded: query.publicKey), let key = AppAttestPublicKey(x963: point),
            let hash = Data(base64Encoded: query.clientDataHash), hash.count == 32, let app = AppID(query.appID)
        else { throw Problem.badRequest }
        let environment: AppAttestEnvironment =
            switch query.environment {
            case .production: .production
            case .development: .development
            }
        let object = try apple.attest(
            publicKey: key, clientDataHash: Array(hash), app: app, environment: environment, at: clock.now)
        return AttestationAnswer(attestation: Data(object).base64EncodedString())
    }

    /// Play Integrity.
    func integrityToken(_ query: IntegrityTokenQuery) throws -> EvidenceAnswer {
        let overrides = query.overrides
        var verdict = SimulatedVerdict(
            packageName: query.packageName, certificateDigests: query.certificateDigests,
            at: clock.now - Double(overrides?.age ?? 0))
        verdict.requestDetails.nonce = query.nonce
        verdict.requestDetails.requestHash = query.requestHash
        if let recognition = overrides?.recognition {
            verdict.appIntegrity?.appRecognitionVerdict = recognition
            if recognition == "UNEVALUATED" {
                verdict.appIntegrity?.packageName = nil
                verdict.appIntegrity?.certificateSha256Digest = nil
                verdict.appIntegrity?.versionCode = nil
            }
        }
        if let device = overrides?.device {
            verdict.deviceIntegrity?.deviceRecognitionVerdict = device.isEmpty ? nil : device
        }
        if let licensing = overrides?.licensing { verdict.accountDetails?.appLicensingVerdict = licensing }
        if let isTest = overrides?.isTest { verdict.testingDetails = .init(isTestingResponse: isTest) }
        return EvidenceAnswer(token: try playIntegrity.token(verdict))
    }

    /// SafetyNet.
    func safetyNetStatement(_ query: SafetyNetQuery) throws -> EvidenceAnswer {
        var statement = SimulatedStatement(
            nonce: query.nonce, packageName: query.packageName, certificateDigests: query.certificateDigests,
            at: clock.now)
        if let basicIntegrity = query.basicIntegrity { statement.basicIntegrity = basicIntegrity }
        if let profileMatch = query.profileMatch { statement.ctsProfileMatch = profileMatch }
        if let evaluation = query.evaluation { statement.evaluationType = evaluation }
        return EvidenceAnswer(token: try safetyNet.token(statement))
    }
}
