import AppAttest
import Credentials
import DeviceCheck
import DonationFormat
import FoundationEssentials
import HTTPTypes
import Running
import Schema

/// Admits an iPhone by App Attest, or by DeviceCheck where that is switched on, for apps that send no assertion.
///
/// A self-report by App Attest needs DeviceCheck as well, if that is configured: a reinstalled app has a new key, but the device keeps its
/// bits.
struct AdmitIPhone: Sendable {
    let proofs: IPhoneProofs
    let hashes: DonationHashes
    let challenges: Challenges
    let store: AdmissionStore
    let tokens: MonthTokenStore
    let turn: ReportTurn
    let clock: WallClock

    func admit(_ evidence: IOSEvidence, _ payload: [UInt8], for purpose: Purpose) async throws -> Admission {
        let accepted = proofs.accepted[purpose] ?? []
        if let part = evidence.appAttest, let policy = proofs.appAttest, accepted.contains(.appAttest) {
            let admission = try await admit(part, by: policy, payload)
            if purpose == .selfReport, let subject = admission.subject, let apple = proofs.deviceCheck {
                try await markReport(by: Self.deviceToken(evidence), of: subject, at: apple)
            }
            return admission
        }
        guard let apple = proofs.deviceCheck, accepted.contains(.deviceCheck) else { throw Refusal.missing(on: .iOS) }
        return try await admit(evidence, by: apple, for: purpose)
    }

    // MARK: App Attest

    /// The app signs the challenge and the payload's bytes with a key in the phone's hardware, which Apple attested for this challenge or
    /// an earlier one.
    private func admit(
        _ part: IOSEvidence.AppAttest, by policy: AppAttestPolicy, _ payload: [UInt8]
    ) async throws -> Admission {
        let now = clock.now
        guard challenges.accept(part.challenge, at: now) else { throw Refusal.stale }
        guard let id = AppAttestKeyID(part.keyID) else { throw Refusal.syntax }
        let hash = hashes.attestedKey(part.keyID)
        let known = try await store.key(hash)
        let (key, counter) = try Self.verify(part, id, by: policy, payload, known, now)
        return Admission(
            platform: .iOS, isStrong: true, use: .assertion(key: hash, key, counter: counter, isNew: known == nil),
            subject: hash)
    }

    private static func verify(
        _ part: IOSEvidence.AppAttest, _ id: AppAttestKeyID, by policy: AppAttestPolicy, _ payload: [UInt8],
        _ known: AdmissionStore.KnownKey?, _ now: Date
    ) throws(Refusal) -> (AppAttestPublicKey, counter: UInt32) {
        do throws(AppAttestFlaw) {
            let key =
                if let known { known.publicKey } else {
                    try policy.verify(
                        attestation: part.attestation, keyID: id, clientDataHash: Digest(sha256: part.challenge).bytes,
                        now: now
                    ).publicKey
                }
            let counter = try policy.verify(
                assertion: part.assertion, by: key, clientData: part.challenge + payload,
                lastCounter: known?.counter ?? 0)
            return (key, counter)
        } catch {
            // Published apps know no code of App Attest; these say the most similar.
            throw switch error {
            case .unreadable: .syntax
            case .counter: .used(on: .iOS)
            default: Refusal(.unauthorized, "DEVICE_TOKEN_INVALID")
            }
        }
    }

    // MARK: DeviceCheck

    private static func deviceToken(_ evidence: IOSEvidence) throws(Refusal) -> DeviceToken {
        do throws(DeviceCheckFlaw) { return try DeviceToken(evidence.deviceToken) } catch { throw .syntax }
    }

    /// In the order of cwa-ppa-server (`IosDeviceValidator`, `PpacProcessor`): syntax, the month's token, the share, Apple's answer, the
    /// device's month. Whether the device token and the share are used is asked once more in the transaction that takes them.
    private func admit(
        _ evidence: IOSEvidence, by apple: DeviceCheckClient, for purpose: Purpose
    ) async throws -> Admission {
        let now = clock.now
        guard let month = UUID(uuidString: evidence.apiToken) else { throw Refusal.syntax }
        let token = try Self.deviceToken(evidence)
        let hash = hashes.monthToken(month)
        let known = try await tokens.find(hash, at: now)
        guard known?.hasExpired != true else { throw Refusal(.forbidden, "API_TOKEN_EXPIRED") }
        switch purpose {
        case .log: try await check(token, DeviceCheckPolicy(isMonthly: false), at: apple)
        case .survey, .analytics:
            guard try await store.share(purpose, of: hash, at: now) != .taken else { throw Refusal.quota(on: .iOS) }
            let answer = try await check(token, DeviceCheckPolicy(isMonthly: known == nil), at: apple)
            if known?.isMarked != true {
                try await tokens.insert(hash, until: now.startOfNextMonth)
                try await mark(token, at: apple, unless: answer.hasReported(by: now))
                try await tokens.mark(hash)
            }
        case .selfReport:
            try await markReport(by: token, of: hash, at: apple, isMonthly: known == nil)
            try await tokens.insert(hash, until: now.startOfNextMonth)
            try await tokens.mark(hash)
        }
        // Apple's tokens are good for less than a day.
        return Admission(
            platform: .iOS, isStrong: true,
            use: .once(hashes.deviceToken(token.text), lastHour: now.hourNumber + 24), subject: hash)
    }

    @discardableResult
    private func check(
        _ token: DeviceToken, _ policy: DeviceCheckPolicy, at apple: DeviceCheckClient
    ) async throws -> DeviceCheckAnswer {
        let answer = await apple.ask(.query, of: token)
        do throws(DeviceCheckFlaw) {
            try policy.check(answer, now: clock.now)
        } catch {
            throw Self.refusal(error)
        }
        return answer
    }

    private static func refusal(_ flaw: DeviceCheckFlaw) -> Refusal {
        switch flaw {
        case .syntax, .token: Refusal(.badRequest, flaw.errorCode)
        case .unavailable: .unavailable
        case .blocked: Refusal(.unauthorized, flaw.errorCode)
        case .month: Refusal(.forbidden, flaw.errorCode)
        case .reported: .quota(on: .iOS)
        }
    }

    /// Moves the month of the device's last change to this one, unless that is the date of a report: then a device can have several
    /// tokens in a month, until the report is 90 days old.
    private func mark(_ token: DeviceToken, at apple: DeviceCheckClient, unless hasReported: Bool) async throws {
        guard !hasReported else { return }
        guard await apple.ask(.update(first: false, second: false), of: token) == .done else {
            throw Refusal.unavailable
        }
    }

    /// Has Apple remember that the device reports itself.
    ///
    /// The report is announced before, so that an app that got no answer isn't refused when it comes again: neither by its share nor by
    /// the bit that was set for it.
    private func markReport(
        by token: DeviceToken, of subject: Digest, at apple: DeviceCheckClient, isMonthly: Bool = false
    ) async throws {
        // Who is refused anyhow takes no turn from others.
        _ = try await isNewReport(by: token, of: subject, at: apple, isMonthly: isMonthly)
        try await turn {
            if try await isNewReport(by: token, of: subject, at: apple, isMonthly: isMonthly) {
                try await store.announce(.selfReport, of: subject, at: clock.now)
            }
            guard await apple.ask(.update(first: true, second: false), of: token) == .done else {
                throw Refusal.unavailable
            }
        }
    }

    /// Whether a report isn't announced yet.
    /// - Throws: ``Refusal`` if it isn't allowed.
    private func isNewReport(
        by token: DeviceToken, of subject: Digest, at apple: DeviceCheckClient, isMonthly: Bool
    ) async throws -> Bool {
        let share = try await store.share(.selfReport, of: subject, at: clock.now)
        guard share != .taken else { throw Refusal.quota(on: .iOS) }
        let isNew = share != .announced
        try await check(
            token, DeviceCheckPolicy(isMonthly: isMonthly && isNew, refusesReporters: isNew), at: apple)
        return isNew
    }
}

extension DeviceCheckAnswer {
    /// Whether the device may have reported itself less than 90 days ago.
    fileprivate func hasReported(by now: Date) -> Bool {
        if case .bits(let bits) = self { bits.hasReported(by: now) } else { false }
    }
}
