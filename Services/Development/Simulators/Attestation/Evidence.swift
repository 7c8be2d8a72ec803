import AppAttest
import DevelopmentAttestationAPI
import FoundationEssentials
import HTTPContract
package import Running

/// Evidence that phones get from Apple and Google, for made-up phones.
package struct Evidence: Sendable {
    private let appAttest: SimulatedAppAttest
    private let playIntegrity: PlayIntegrityMint
    private let clock: WallClock

    /// See the parts.
    package init(apple: AppleAuthority, playIntegrity: PlayIntegrityMint, clock: WallClock) {
        appAttest = SimulatedAppAttest(apple, clock: clock)
        self.playIntegrity = playIntegrity
        self.clock = clock
    }

    /// App Attest's `generateKey`.
    /// - Throws: `Problem.badRequest` for an App ID that isn't one.
    func appAttestKey(_ query: AppAttestKeyQuery) throws -> AppAttestKeyAnswer {
        guard let app = AppID(query.appID) else { throw Problem.badRequest }
        guard let id = appAttest.makeKey(of: app) else { throw Problem.tooManyRequests }
        return AppAttestKeyAnswer(keyID: Data(id.bytes).base64EncodedString())
    }

    /// App Attest's `attestKey`.
    func attestation(_ query: AttestationQuery) throws -> AttestationAnswer {
        let environment: AppAttestEnvironment =
            switch query.environment {
            case .production: .production
            case .development: .development
            }
        let object = try signed(query.keyID, query.clientDataHash) {
            try appAttest.attest($0, clientDataHash: $1, environment: environment)
        }
        return AttestationAnswer(attestation: object)
    }

    /// App Attest's `generateAssertion`.
    func assertion(_ query: AssertionQuery) throws -> AssertionAnswer {
        AssertionAnswer(
            assertion: try signed(query.keyID, query.clientDataHash) {
                try appAttest.assertion(by: $0, clientDataHash: $1)
            })
    }

    /// - Returns: in Base64.
    /// - Throws: `Problem.badRequest` for a hash that isn't one, and for a key that can't be used.
    private func signed(
        _ keyID: String, _ hash: String, _ sign: (AppAttestKeyID, [UInt8]) throws -> [UInt8]
    ) throws -> String {
        guard let id = AppAttestKeyID(base64: keyID), let hash = Data(base64Encoded: hash), hash.count == 32 else {
            throw Problem.badRequest
        }
        do {
            return Data(try sign(id, Array(hash))).base64EncodedString()
        } catch is SimulatedAppAttest.InvalidKey {
            throw Problem.badRequest
        }
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
}
