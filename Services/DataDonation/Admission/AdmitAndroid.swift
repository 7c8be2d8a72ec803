import CompactJOSE
import DonationFormat
import FoundationEssentials
import HTTPTypes
import PlayIntegrity
import Running
import Schema

/// Admits an Android phone by Play Integrity's token.
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
        guard let salt = PaddedBase64.bytes(evidence.salt), !salt.isEmpty, !evidence.playIntegrity.isEmpty,
            let keys = proofs.keys, let policy = proofs.playIntegrity[purpose]
        else { throw .missing(on: .android) }
        let now = clock.now
        let isStrong = try playIntegrity(evidence.playIntegrity, keys, policy, salt, payload, now)
        guard purpose != .selfReport || androidID != nil else { throw .missing(on: .android) }
        // Evidence may be from the future by as much as from the past.
        let lastHour = now.addingTimeInterval(2 * policy.tolerance).hourNumber
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
}
