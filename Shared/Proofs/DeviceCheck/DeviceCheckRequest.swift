package import FoundationEssentials

/// A question to Apple's DeviceCheck service (developer.apple.com, "Accessing and modifying per-device data").
package struct DeviceCheckRequest: Hashable, Sendable {
    /// Of the device.
    package let token: DeviceToken
    /// New for each request.
    package let transaction: UUID
    /// What to do.
    package let operation: Operation

    /// What Apple can do.
    package enum Operation: Hashable, Sendable {
        /// Tells the bits.
        case query
        /// Sets both bits, and with them the month. What happens to a bit that isn't named is undefined.
        case update(first: Bool, second: Bool)

        /// Where it is asked for, by `POST`.
        package var path: String {
            switch self {
            case .query: "/v1/query_two_bits"
            case .update: "/v1/update_two_bits"
            }
        }
    }

    /// See the properties.
    package init(_ operation: Operation, token: DeviceToken, transaction: UUID) {
        self.operation = operation
        self.token = token
        self.transaction = transaction
    }

    private struct Body: Encodable {
        let deviceToken: String
        let transaction: String
        let milliseconds: Int64
        let first: Bool?
        let second: Bool?

        enum CodingKeys: String, CodingKey {
            case deviceToken = "device_token"
            case transaction = "transaction_id"
            case milliseconds = "timestamp"
            case first = "bit0"
            case second = "bit1"
        }
    }

    /// The body.
    /// - Parameter now: Apple refuses another time than its own.
    package func json(at now: Date) throws -> [UInt8] {
        let bits: (first: Bool, second: Bool)? =
            if case .update(let first, let second) = operation { (first, second) } else { nil }
        let body = Body(
            deviceToken: token.text, transaction: transaction.uuidString.lowercased(),
            milliseconds: Int64(now.timeIntervalSince1970 * 1000), first: bits?.first, second: bits?.second)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(body))
    }
}
