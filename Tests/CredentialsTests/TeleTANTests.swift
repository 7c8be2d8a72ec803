import Credentials
import Foundation
import Testing

struct TeleTANTests {
    @Test(
        "the check character is the contract's",
        arguments: [
            ("FE9A5MAK6", "C"), ("WPHSATMHD", "4"), ("9N4UTTACE", "6"), ("S3HHJJYJD", "3"), ("W3M75DUD7", "C"),
            ("BBA3M8UVU", "C"), ("MNSHDZAEJ", "2"), ("WS732AR8Q", "B"), ("FE9A5MAK9", "H"), ("FE9A5MAKW", "G"),
        ] as [(String, Character)])
    func vectors(body: String, check: Character) {
        #expect(TeleTAN.checkCharacter(of: body) == check)
        #expect(TeleTAN(body + String(check)) != nil)
    }

    @Test(
        "what isn't a teleTAN is refused",
        arguments: [
            "", "FE9A5MAK6", "FE9A5MAK6D", "FE9A5MAK6CC", "fe9a5mak6c", "0E9A5MAK6C", "FE9A5MAKO1", "ÄE9A5MAK6C",
            " FE9A5MAK6C", "FE9A5MAK\u{301}6C",
        ])
    func refused(text: String) {
        #expect(TeleTAN(text) == nil)
    }

    @Test("a fresh code is one that is accepted")
    func fresh() {
        var randomness = SystemRandomNumberGenerator()
        for _ in 0..<1000 {
            let code = TeleTAN(using: &randomness)
            #expect(TeleTAN(code.text) == code)
        }
    }

    /// The largest deviation from equal numbers of all 31 characters at any of the nine positions (chi-squared, 30 degrees of
    /// freedom: above 70 once in 20,000).
    private func deviation(of codes: [String]) -> Double {
        let expected = Double(codes.count) / Double(TeleTAN.alphabet.count)
        return (0..<TeleTAN.randomCharacters).map { position in
            let found = Dictionary(grouping: codes) { Array($0)[position] }.mapValues(\.count)
            return TeleTAN.alphabet.map { pow(Double(found[$0] ?? 0) - expected, 2) / expected }.reduce(0, +)
        }.max() ?? 0
    }

    @Test("codes of hashes are spread evenly over all codes; one byte for each character would not be")
    func derived() {
        let digests = (0..<31_000).map { Digest(sha256: "request \($0)".utf8) }
        let codes = digests.map { TeleTAN($0).text }
        #expect(codes.allSatisfy { TeleTAN($0) != nil })
        #expect(Set(codes).count == codes.count)
        #expect(deviation(of: codes) < 70)
        let bytewise = digests.map { digest in
            String(digest.bytes.prefix(9).map { TeleTAN.alphabet[Int($0) % TeleTAN.alphabet.count] })
        }
        #expect(deviation(of: bytewise) > 70)
    }

    @Test("the same hash is the same code on every replica")
    func replicas() {
        #expect(TeleTAN.count == 26_439_622_160_671)
        #expect(TeleTAN(Digest(sha256: "a request".utf8)).text == "QG5XU5HRP8")
    }

    @Test("any single wrong character is noticed most of the time, and never crashes")
    func typingErrors() {
        var noticed = 0
        let code = Array("FE9A5MAK6C")
        for position in code.indices {
            for character in TeleTAN.alphabet where character != code[position] {
                var wrong = code
                wrong[position] = character
                if TeleTAN(String(wrong)) == nil { noticed += 1 }
            }
        }
        // One hexadecimal digit is checked: about 15 of 16 errors in the nine, and every error in the tenth.
        #expect(noticed > 270)
    }
}
