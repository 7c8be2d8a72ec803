import CompactJOSE
import Crypto
package import FoundationEssentials

/// What a statement has to say before a request counts as a genuine app's.
package struct SafetyNetPolicy: Hashable, Sendable {
    /// The apps.
    package let packageNames: Set<String>
    /// SHA-256 of the certificates with which they are signed, 32 bytes each.
    package let certificateDigests: Set<[UInt8]>
    /// Seconds by which the statement may lie before or after now; 7200 in cwa-ppa-server.
    package let tolerance: TimeInterval
    /// What a device has to fulfil.
    package let demands: Set<Demand>

    /// cwa-ppa-server demands none for surveys and analytics, all but the basic evaluation for logs, and all for
    /// self-reports.
    package enum Demand: String, Hashable, Sendable, CaseIterable {
        /// `basicIntegrity`.
        case basicIntegrity
        /// `ctsProfileMatch`.
        case profile
        /// `BASIC` in `evaluationType`.
        case basicEvaluation
        /// `HARDWARE_BACKED` in `evaluationType`.
        case hardwareEvaluation
    }

    /// Characters of the longest salt. Apps send 16 bytes or fewer.
    private static let longestSalt = 128

    /// See the properties.
    package init(
        packageNames: Set<String>, certificateDigests: Set<[UInt8]>, tolerance: TimeInterval, demands: Set<Demand>
    ) {
        self.packageNames = packageNames
        self.certificateDigests = certificateDigests
        self.tolerance = tolerance
        self.demands = demands
    }

    /// Throws the first demand that isn't met, in the order of cwa-ppa-server.
    /// - Parameters:
    ///   - salt: in Base64. Whether it was used before is the caller's to find out: the same statement with the same
    ///     salt holds as long as the time allows.
    ///   - payload: its bytes as they were sent.
    package func check(
        _ statement: SafetyNetStatement, salt: String, payload: some DataProtocol, now: Date
    ) throws(SafetyNetFlaw) {
        guard !salt.isEmpty, salt.utf8.count <= Self.longestSalt, let salt = PaddedBase64.bytes(salt),
            let nonce = statement.nonce, !nonce.isEmpty
        else { throw .missing }
        guard PaddedBase64.bytes(nonce) == Self.nonce(salt: salt, payload: payload) else { throw .binding }
        guard abs(statement.instant.timeIntervalSince(now)) <= tolerance else { throw .stale }
        guard let name = statement.packageName, packageNames.contains(name) else { throw .package }
        guard statement.certificateDigests.count == 1,
            let digest = PaddedBase64.bytes(statement.certificateDigests[0]), certificateDigests.contains(digest)
        else { throw .signer }
        for demand in Demand.allCases where demands.contains(demand) {
            guard Self.isMet(demand, by: statement) else { throw demand.flaw }
        }
    }

    /// What the app asks Google to sign: SHA-256 of salt and payload.
    package static func nonce(salt: some DataProtocol, payload: some DataProtocol) -> [UInt8] {
        var hash = SHA256()
        hash.update(data: salt)
        hash.update(data: payload)
        return Array(hash.finalize())
    }

    private static func isMet(_ demand: Demand, by statement: SafetyNetStatement) -> Bool {
        switch demand {
        case .basicIntegrity: statement.hasBasicIntegrity
        case .profile: statement.matchesProfile
        case .basicEvaluation: statement.evaluations.contains("BASIC")
        case .hardwareEvaluation: statement.evaluations.contains("HARDWARE_BACKED")
        }
    }
}

extension SafetyNetPolicy.Demand {
    fileprivate var flaw: SafetyNetFlaw {
        switch self {
        case .basicIntegrity: .basicIntegrity
        case .profile: .profile
        case .basicEvaluation: .basicEvaluation
        case .hardwareEvaluation: .hardwareEvaluation
        }
    }
}
