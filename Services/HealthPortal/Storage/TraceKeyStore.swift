import Credentials
import ExposureKeys
import FoundationEssentials
import Postgres
import PublishedTree
import TraceKeyFormat

/// The tables `venues.trace_key` and `venues.trace_key_upload`.
struct TraceKeyStore: Sendable {
    private let database: PostgresClient

    init(_ database: PostgresClient) {
        self.database = database
    }

    /// What became of an upload.
    enum Outcome: Sendable, Equatable {
        /// Stored, now or before.
        case stored
        /// The token was used for another body.
        case otherBody
        /// There would be more than ``VenueLimit/rows`` keys.
        case full
    }

    /// Stores keys and that a token was used for them, all or nothing. A key that is stored already stays as it is.
    func insert(_ keys: [TraceKey], by token: Digest, body: Digest, at now: Date) async throws -> Outcome {
        // When exactly a key came isn't stored.
        let bucket = Int32(clamping: Int64(now.timeIntervalSince1970) / TraceKeyTag.seconds)
        return try await database.undoableTransaction { session in
            let isNew = try session.execute(
                """
                INSERT INTO venues.trace_key_upload (token_hash, body_hash, bucket)
                VALUES (\(token.bytes), \(body.bytes), \(bucket)) ON CONFLICT DO NOTHING
                """)
            guard isNew > 0 else {
                let known = try session.row(
                    "SELECT body_hash FROM venues.trace_key_upload WHERE token_hash = \(token.bytes)",
                    as: [UInt8].self)
                return known == body.bytes ? .stored : .otherBody
            }
            for key in keys {
                try session.execute(
                    """
                    INSERT INTO venues.trace_key (identity, secret_key, day, associated_data, nonce, bucket)
                    VALUES (
                        \(key.identity), \(key.secretKey), \(key.day.number), \(key.associatedData), \(key.nonce),
                        \(bucket)
                    ) ON CONFLICT DO NOTHING
                    """)
            }
            if try VenueLimit.isExceeded("venues.trace_key", in: session) { throw Undone(outcome: Outcome.full) }
            return .stored
        }
    }
}
