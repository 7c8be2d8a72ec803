import Credentials
import DecoderTargets
import Foundation
import TestSupport
import Testing

/// Every decoder is given valid input with random changes, the same ones in every run. `Tests/Fuzz/fuzz.sh` searches without
/// end, led by coverage.
@Suite(.heavy) struct MutationTests {
    private static let corpus = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fuzz/Corpus")

    /// What begins a decoder's search: valid input, and what once broke it.
    private static func corpus(of target: DecoderTarget) throws -> [Data] {
        let folder = corpus.appending(path: target.name)
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            .map { try Data(contentsOf: folder.appending(path: $0)) }
    }

    @Test(
        "a change of valid input ends in a value or in the contract's refusal",
        arguments: DecoderTarget.all.map(\.name))
    func mutations(name: String) throws {
        let target = try #require(DecoderTarget.all.first { $0.name == name })
        let inputs = try Self.corpus(of: target)
        var randomness = SeededGenerator(seed: 0x7669_6769_6c)
        var values = 0
        var refused = 0
        for input in inputs {
            if target.judge(input) == .value { values += 1 }
            for _ in 0..<max(300, 2000 / inputs.count) {
                let changed = input.mutated(using: &randomness)
                switch target.judge(changed) {
                case .value: break
                case .refused: refused += 1
                case .broken(let why):
                    let text = String(decoding: changed, as: UTF8.self)
                    Issue.record("\(why): \(text) (\(changed.base64EncodedString()))")
                }
            }
        }
        // The corpus begins with something valid, and the changes are not so mild that all of them pass.
        #expect(values > 0)
        #expect(refused > 20)
    }

    @Test("every decoder has a corpus, and every corpus a decoder")
    func names() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.corpus.path)
        #expect(folders.sorted() == DecoderTarget.all.map(\.name).sorted())
    }

    @Test("what only looks like a teleTAN to Swift's strings is none")
    func canonicalEquivalents() {
        // Ten bytes that are eight characters, of which the kelvin sign equals K.
        let lookalikes = TeleTAN.alphabet.flatMap { letter in
            TeleTAN.alphabet.map { last in "23456\(letter)\u{212A}\(last)" }
        }
        #expect(lookalikes.compactMap { TeleTAN($0) }.count == 0)
    }
}
