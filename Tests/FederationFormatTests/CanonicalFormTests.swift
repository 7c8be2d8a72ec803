import FederationFormat
import Foundation
import TestSupport
import Testing

/// Keys in the canonical form are read by code of this module, and all others by the library.
@Suite(.heavy) struct CanonicalFormTests {
    @Test(arguments: 0..<40)
    func `this module and the library read every key alike, good or damaged`(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var (own, librarys): ([UInt8], [UInt8]) = ([], [])
        for number in 0..<20 {
            let key = try Sample.key(&random)
            // The second one has the same countries, which are remembered.
            for key in [key, key] {
                // Without tag and length of the key.
                var content = Data(try KeyBatch.protobuf([key]).dropFirst(2))
                if number % 2 == 1 { content = content.mutated(using: &random) }
                guard content.count < 120 else { continue }
                own += [0x0A, UInt8(content.count)] + content
                // Behind an unknown field, a key isn't in the canonical form.
                librarys += [0x0A, UInt8(content.count + 2), 0x78, 0x00] + content
            }
        }
        let (batch, expected) = (
            try ReceivedBatch(protobuf: own, limit: 10_000), try ReceivedBatch(protobuf: librarys, limit: 10_000)
        )
        #expect(batch == expected)
        #expect(batch.keys.count >= 20)
    }
}
