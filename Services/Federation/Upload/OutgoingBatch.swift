import ExposureKeys
import FederationFormat
import FoundationEssentials

/// A batch that waits to be sent, as it is stored.
struct OutgoingBatch: Sendable {
    let id: Int64
    /// The last hour of the slot whose keys it has.
    let hour: Hour
    let batch: KeyBatch
    /// How often it was sent without a useful answer.
    let attempts: Int
}

/// What becomes of a batch, in one transaction.
struct Settlement: Sendable {
    /// A batch in the place of the old one.
    struct Successor: Sendable {
        let batch: KeyBatch
        let state: OutgoingState
        let reason: String?
        /// What the gateway said.
        var answer: String?
        /// How often the keys were sent in vain.
        var attempts = 0
    }

    /// Empty if everything has arrived.
    var successors: [Successor] = []
}

/// The states of an outgoing batch, as the database has them.
enum OutgoingState: String, CaseIterable, Sendable {
    case waiting
    case carried
    case refused
    case delivered
}

extension KeyBatch {
    /// Evenly divided batches, none with more keys than `largest`, and as few as that allows.
    ///
    /// Keys are divided by their bytes, which are random, so that which keys are in one batch says nothing. The sizes differ by one key at
    /// most: with `largest` at least twice another number, no batch has fewer keys than that number unless there are fewer altogether.
    static func divide(_ keys: some Sequence<FederatedKey>, largest: Int) -> [KeyBatch] {
        let sorted = keys.sorted { $0.data < $1.data }
        let count = (sorted.count + largest - 1) / largest
        return (0..<count).compactMap { number in
            KeyBatch(sorted[(sorted.count * number / count)..<(sorted.count * (number + 1) / count)])
        }
    }

    /// Some of its keys; nil for none.
    func subset(_ positions: [Int]) -> KeyBatch? {
        positions.isEmpty ? nil : KeyBatch(positions.map { keys[$0] })
    }
}
