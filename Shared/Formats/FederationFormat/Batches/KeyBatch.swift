import FoundationEssentials
import SwiftProtobuf

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
        let different = Array(Set(keys))
        guard different.count <= ReceivedBatch.mostKeys else { return nil }
        let records = KeyRecords(different)
        self.keys = records.order(of: 0..<records.count).map { different[$0] }
        self.records = KeyRecords(self.keys)
    }

    /// An `eu.interop.DiagnosisKeyBatch`; no bytes for no keys.
    package func protobuf() throws -> [UInt8] {
        try WireDiagnosisKeyBatch.with { $0.keys = keys.map(WireDiagnosisKey.init) }.serializedBytes()
    }

    /// The gateway's JSON; `{}` for no keys.
    package func json() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(BatchMembers(keys)))
    }

    /// The name under which a country uploads this batch: the same whenever it is sent.
    package func tag(of country: CountryCode) -> BatchTag { BatchTag(of: records, from: country) }
}
