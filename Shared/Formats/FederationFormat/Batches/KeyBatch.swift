import FoundationEssentials

/// Keys that leave as one batch. Body, records and tag depend on the set of keys alone.
package struct KeyBatch: Hashable, Sendable {
    /// In the order of the body, which is that of the signature too; no record is there twice. The gateway's answers
    /// count from here.
    package let keys: [FederatedKey]
    /// One for each key.
    package let records: KeyRecords

    /// Sorts the keys; their order and repetitions have no effect. The gateway would refuse a batch with the same key
    /// twice.
    /// - Returns: nil for more than ``ReceivedBatch/mostKeys`` different ones.
    package init?(_ keys: some Sequence<FederatedKey>) {
        let all = Array(keys)
        let records = KeyRecords(all)
        var order = records.order(of: all.indices)
        // Two keys have the same record only if they are the same.
        let last = order.last
        order = zip(order, order.dropFirst()).filter { records[$0] != records[$1] }.map(\.0) + (last.map { [$0] } ?? [])
        guard order.count <= ReceivedBatch.mostKeys else { return nil }
        self.keys = order.map { all[$0] }
        self.records = KeyRecords(order, of: records)
    }

    /// An `eu.interop.DiagnosisKeyBatch`; no bytes for no keys.
    package func protobuf() throws -> [UInt8] { try Self.protobuf(keys) }

    /// The gateway's JSON; `{}` for no keys.
    package func json() throws -> [UInt8] { try Self.json(keys) }

    /// The same of keys in another order: a gateway's, which has them from several countries.
    package static func protobuf(_ keys: [FederatedKey]) throws -> [UInt8] { CanonicalKeys.body(of: keys) }

    /// The same of keys in another order.
    package static func json(_ keys: [FederatedKey]) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(BatchMembers(keys)))
    }

    /// The name under which a country uploads this batch: the same whenever it is sent.
    package func tag(of country: CountryCode) -> BatchTag { BatchTag(of: records, from: country) }
}
