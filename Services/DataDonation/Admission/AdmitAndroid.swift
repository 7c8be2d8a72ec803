import Certificates
import CompactJOSE
import DonationFormat
import FoundationEssentials
import HTTPTypes
import PlayIntegrity
import Running
import SafetyNet
import Schema

/// Admits an Android phone by Play Integrity's token, or by SafetyNet's statement where that is switched on.
///
/// In the order of cwa-ppa-server (`AndroidController`, `AttestationVerifier`): parts, signature, binding, time, app, device, the phone's
/// id. Whether the salt or the share is used is asked last, in the transaction that takes them.
struct AdmitAndroid: Sendable {
    let proofs: AndroidProofs
    let hashes: DonationHashes
    let clock: WallClock

    func admit(
        _ evidence: AndroidEvidence, _ payload: [UInt8], for purpose: Purpose, androidID: AndroidID?
    ) throws(Refusal) -> Admission {
        guard let salt = PaddedBase64.bytes(evidence.salt), !salt.isEmpty else { throw .missing(on: .android) }
        let now = clock.now
        let isStrong: Bool
        let tolerance: TimeInterval
        if !evidence.playIntegrity.isEmpty, let keys = proofs.keys, let policy = proofs.playIntegrity[purpose] {
            isStrong = try playIntegrity(evidence.playIntegrity, keys, policy, salt, payload, now)
            tolerance = policy.tolerance
        } else if !evidence.safetyNet.isEmpty, let roots = proofs.roots, let policy = proofs.safetyNet[purpose] {
            isStrong = try safetyNet(evidence, roots, policy, payload, now)
            tolerance = policy.tolerance
        } else {
            throw .missing(on: .android)
        }
        guard purpose != .selfReport || androidID != nil else { throw .missing(on: .android) }
        // Evidence may be from the future by as much as from the past.
        let lastHour = now.addingTimeInterval(2 * tolerance).hourNumber
        return Admission(
            platform: .android, isStrong: isStrong, use: .once(hashes.salt(salt), lastHour: lastHour),
            subject: androidID.map(hashes.androidID))
    }

    private func playIntegrity(
        _ token: String, _ keys: PlayIntegrityKeys, _ policy: PlayIntegrityPolicy, _ salt: [UInt8],
        _ payload: [UInt8], _ now: Date
    ) throws(Refusal) -> Bool {
        do throws(PlayIntegrityFlaw) {
            let verdict = try PlayIntegrityVerdict(classic: token, keys: keys)
            try policy.check(verdict, salt: salt, payload: payload, now: now)
            return verdict.strength == .strong
        } catch {
            throw Refusal(error == .unreadable || error == .forged ? .unauthorized : .forbidden, error.errorCode)
        }
    }

    private func safetyNet(
        _ evidence: AndroidEvidence, _ roots: PinnedRoots, _ policy: SafetyNetPolicy, _ payload: [UInt8], _ now: Date
    ) throws(Refusal) -> Bool {
        do throws(SafetyNetFlaw) {
            let statement = try SafetyNetStatement(evidence.safetyNet, roots: roots, now: now)
            try policy.check(statement, salt: evidence.salt, payload: payload, now: now)
            return statement.hasBasicIntegrity && statement.matchesProfile
                && statement.evaluations.contains("HARDWARE_BACKED")
        } catch {
            let status: HTTPResponse.Status =
                switch error {
                case .missing: .badRequest
                case .unreadable, .chain, .forged: .unauthorized
                default: .forbidden
                }
            throw Refusal(status, error.errorCode)
        }
    }
}
