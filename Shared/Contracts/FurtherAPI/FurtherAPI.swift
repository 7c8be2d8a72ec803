package import HTTPContract
import HTTPTypes

/// The operations of further, for apps (Further's README, "API Calls"; the app's `QuestionsController`).
///
/// What apps read are files of the published lists: they have no operation here.
package enum FurtherAPI {
    /// Bytes of the longest body of a report or a batch, and the length to which the reference phone pads both.
    package static let bodyLimit = 4096
    /// How many reports a batch has: an app fills it with negative ones under random ids.
    package static let batchCount = 14

    /// A person's answers under the id that their phone shows to others.
    package static let report = Endpoint<SignedMessage<HealthReport>, Accepted>(
        .post, "/health", callers: [.metadataProxy], bodyLimit: bodyLimit,
        summary: "Stores a person's answers while they are positive, and deletes them otherwise.", refusals: refusals)

    /// The same answers under each of the ids that a phone had on the last days. An addition of Vigil.
    package static let batch = Endpoint<SignedMessage<HealthBatch>, Accepted>(
        .post, "/health/batch", callers: [.metadataProxy], bodyLimit: bodyLimit,
        summary: "Does the same for all ids that a phone had in 14 days, or for none.", refusals: refusals)

    /// A key whose owner alone can change what they reported. An addition of Vigil.
    package static let key = Endpoint<KeyRegistration, KeyAnswer>(
        .post, "/keys", callers: [.metadataProxy], bodyLimit: 32_768,
        summary: "Registers the public key that verifies an app's later calls.",
        refusals: [
            .badRequest: "The body has no public key of P-256, or a part that isn't Base64.",
            .unauthorized: "The proof isn't a signature with the key.",
            .forbidden: "The attestation is missing or refused; or the caller has another role.",
            .notFound: "Signatures are off.",
        ])

    private static let refusals: [HTTPResponse.Status: String] = [
        .badRequest:
            "The body is no report or no batch, or has a time in the future; or a field of the signature is missing.",
        .unauthorized:
            "The signature is missing though it is needed, doesn't verify, is too old, has the nonce of another call, or its key isn't known.",
        .forbidden: "The id belongs to another key; or the caller has another role.",
        .tooManyRequests: "Too many reports for an id in this hour.",
    ]
}
