import Foundation
import Testing

@testable import ExposureFormat

struct RegularExpressionTests {
    static let valid = [
        "https://e\\.coronawarn\\.app/?\\?v=(\\d+)\\#(.+)", "(a)(b)(c)", "a|b|", "^(?:a|(b))*$", "(a)\\1",
        "[^a-z0-9_]{2,3}?",
        "[a-]{2,}+", #"[\]\\]"#, #"\x41\x{1F600}\u00e4\p{Lu}\P{Script=Greek}"#,
        "(?i)a(?sm:b)(?=c)(?!d)(?>g)", ".*+",
        #"\bä\B"#, "(((())))", "a{0}", #"\-\/"#,
    ]

    static let invalid = [
        "", "(a", "a)", "(?<n>a)", "[--]", "(?P<n>a)", "[", "[]", "[a", "[z-a]", "a{3,2}", "a{,3}", "a{x}", "a**",
        "*a", "+",
        #"\"#, #"a\"#, #"\y"#, #"\x4"#, #"\u12"#, #"\p{"#, #"\p"#, "(?<=a", "(?<=a)", #"\b+"#, "[:a]", "(?z)", "(?",
        #"(a)\2"#, "a{2}{3}", "(?#c",
    ]

    @Test("what is valid here has as many groups for ICU", arguments: valid)
    func accepted(pattern: String) throws {
        let groups = try #require(RegularExpression(pattern)?.groups)
        #expect(try NSRegularExpression(pattern: pattern).numberOfCaptureGroups == groups)
    }

    @Test("what isn't a regular expression is refused", arguments: invalid)
    func refused(pattern: String) {
        #expect(RegularExpression(pattern) == nil)
    }

    @Test("of random patterns, none is valid here that ICU refuses, and groups are counted alike")
    func random() {
        let pieces = [
            "(", "(?:", "(?i", "(?=", "(?<=", ")", "[", "]", "^", "-", "a", "z", "\\", "\\d", "\\1", "\\Q", "{", "}",
            "2", ",",
            "*", "+", "?", "|", "$", ".", "ä", "&", "&&", "\\x", "\\p{L}", " ", "#", "\u{301}", "=", "!", "<", ">", ":",
        ]
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<200_000 {
            let pattern = (0..<Int.random(in: 1...7, using: &generator)).map { _ in
                pieces.randomElement(using: &generator) ?? ""
            }.joined()
            guard let groups = RegularExpression(pattern)?.groups else { continue }
            let other = try? NSRegularExpression(pattern: pattern)
            #expect(other?.numberOfCaptureGroups == groups, "\(pattern)")
        }
    }
}
