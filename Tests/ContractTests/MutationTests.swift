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

    /// Numbers at the edges of 64 bits and beyond, and what only looks like one.
    private static let hostileNumbers = [
        "9223372036854775807", "-9223372036854775808", "18446744073709551615", "9223372036854775808",
        String(repeating: "9", count: 400), "+1", "-1", "--", "-0", "1e999", "",
    ]

    /// The places of the first numbers in a text, and of the whole.
    private static func numbers(in input: Data) -> [Range<Data.Index>] {
        var places = [input.startIndex..<input.endIndex]
        var next = input.startIndex
        while places.count < 30, let start = input[next...].firstIndex(where: { (0x30...0x39).contains($0) }) {
            let end = input[start...].firstIndex { !(0x30...0x39).contains($0) } ?? input.endIndex
            places.append(start..<end)
            next = end
        }
        return places
    }

    @Test(
        "a change of valid input ends in a value or in the contract's refusal",
        arguments: DecoderTarget.all.map(\.name))
    func mutations(name: String) throws {
        let target = try #require(DecoderTarget.all.first { $0.name == name })
        let inputs = try Self.corpus(of: target)
        func tryOut(_ changed: Data) -> Bool {
            switch target.judge(changed) {
            case .value: return true
            case .refused: return false
            case .broken(let why):
                let text = String(decoding: changed, as: UTF8.self)
                Issue.record("\(why): \(text) (\(changed.base64EncodedString()))")
                return true
            }
        }
        var randomness = SeededGenerator(seed: 0x7669_6769_6c)
        var values = 0
        var refused = 0
        for input in inputs {
            if target.judge(input) == .value { values += 1 }
            for _ in 0..<max(300, 2000 / inputs.count) {
                if !tryOut(input.mutated(using: &randomness)) { refused += 1 }
            }
            for place in Self.numbers(in: input) {
                for number in Self.hostileNumbers {
                    _ = tryOut(input[..<place.lowerBound] + Data(number.utf8) + input[place.upperBound...])
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
