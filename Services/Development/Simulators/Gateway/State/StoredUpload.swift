import FederationFormat
import FoundationEssentials

/// What a country uploaded.
struct StoredUpload: Sendable {
    /// The country's name for it, any text.
    let tag: String
    let uploader: AuthenticatedCaller
    let signingThumbprint: String
    /// The header field.
    let signature: String
    /// In the order of the body.
    let keys: [FederatedKey]
    let uploaded: Date
}

/// Whole uploads that are downloaded together.
struct StoredBatch: Sendable {
    let tag: BatchTag
    let created: Date
    var uploads: [StoredUpload]
    /// The batch that follows.
    var next: BatchTag?
}
