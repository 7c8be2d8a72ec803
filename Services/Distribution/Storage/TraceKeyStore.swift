import ExposureKeys
import Postgres
import PublishedTree
import TraceKeyFormat

/// The table `venues.trace_key`, which health-portal fills.
extension DistributionStore {
    /// All trace keys, in no order.
    func traceKeys() async throws -> [StoredTraceKey] {
        try await database.session { session in
            try session.rows(
                "SELECT identity, secret_key, day, associated_data, nonce, bucket FROM venues.trace_key",
                as: [UInt8].self, [UInt8].self, Int32.self, [UInt8].self, [UInt8].self, Int32.self)
        }.compactMap { identity, secretKey, day, data, nonce, bucket in
            // The table's constraints are the type's, so none is left out.
            TraceKey(
                identity: identity, secretKey: secretKey, day: Day(number: day), associatedData: data, nonce: nonce
            ).map { StoredTraceKey(key: $0, since: TraceKeyTag(number: Int64(bucket))) }
        }
    }
}
