import Credentials
import ExposureFormat
import ExposureKeys
import FoundationEssentials
import HTTPContract
import Logging
import ServiceKit
import SubmissionAPI
import VerificationAPI

/// `POST /version/v1/diagnosis-keys`: reserve the TAN for this upload, store it sealed, confirm.
///
/// Each step may be repeated with the same outcome, so wherever a crash or a lost answer strikes, the phone repeats its
/// request and is told 200; another payload for the same TAN is refused.
struct AcceptUpload: Sendable {
    let verification: ServiceClient
    let inbox: Inbox
    let tagKey: UploadTagKey
    let clock: WallClock
    let logger: Logger
    var rules = UploadRules()

    func handle(_ upload: DiagnosisKeysUpload, from caller: Caller) async throws -> UploadAccepted {
        if upload.isFake { return UploadAccepted() }
        let keys = try diagnosisKeys(in: upload.payload)
        guard let tan = TAN(upload.authorization) else { throw Problem.forbidden }
        let tag = tagKey.tag(of: keys, authorisedBy: tan)

        let reservation = TANReservation(tan: tan, tag: tag, purpose: .diagnosisKeys)
        let reserved = try await verification.call(VerificationAPI.reservations, TANReservations([reservation]))
        guard reserved.outcomes == [.granted] else { throw Problem.forbidden }
        try await inbox.store(rules.current(keys, at: clock.now), tag: tag)
        await confirm(TANConfirmation(tan: tan, tag: tag))
        return UploadAccepted()
    }

    private func diagnosisKeys(in payload: Data) throws(Problem) -> [DiagnosisKey] {
        do {
            return try rules.normalise(
                SubmissionPayload(
                    decoding: Array(payload), maximum: SubmissionAPI.diagnosisKeys.route.bodyLimit
                ).uploadedKeys)
        } catch {
            throw Problem.badRequest
        }
    }

    /// A confirmation that fails changes nothing for the phone: its upload is stored, and the TAN stays reserved for
    /// exactly this upload until it expires.
    private func confirm(_ confirmation: TANConfirmation) async {
        do {
            _ = try await verification.call(VerificationAPI.confirmations, TANConfirmations([confirmation]))
        } catch {
            logger.warning("A TAN stays reserved, its confirmation failed")
        }
    }
}

/// The key of the uploads' tags. Replicas share it.
struct UploadTagKey: Sendable {
    private let key: HashKey

    init(_ key: HashKey) { self.key = key }

    /// From the file that `secrets.tagKey` names, 64 hexadecimal digits.
    init(_ settings: Settings) throws {
        guard let key = HashKey(bytes: try settings.secretFile("secrets.tagKey")) else {
            throw ConfigurationProblem("secrets.tagKey must name a file of 64 hexadecimal digits (32 bytes).")
        }
        self.key = key
    }

    /// A keyed hash over TAN and content. Padding, and the order in which the phone listed its keys, don't matter.
    /// - Parameter keys: ordered by content.
    func tag(of keys: [DiagnosisKey], authorisedBy tan: TAN) -> Digest {
        key.digest(for: "upload", tan.identifier.bytes, keys.flatMap(KeyRecord.encode))
    }
}
