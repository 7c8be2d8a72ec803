import Foundation
import HTTPContract
import Testing

@testable import Pages

@Suite("HTML") struct HTMLTests {
    @Test("texts and attribute values can't end where they stand")
    func escapes() {
        let hostile = #"<b onclick="x">&'</b>"#
        let element = tag(.p, .set(.title, hostile)) { hostile }
        #expect(
            element.markup
                == "<p title=\"&lt;b onclick=&quot;x&quot;&gt;&amp;&#39;&lt;/b&gt;\">"
                + "&lt;b onclick=&quot;x&quot;&gt;&amp;&#39;&lt;/b&gt;</p>")
    }

    /// A quote and its combining mark are one `Character`, which is not the quote.
    @Test(
        "a mark that combines with a quote or a bracket doesn't hide it",
        arguments: ["\"", "<", ">", "&", "'"], ["\u{301}", "\u{200D}", "\u{FE0F}", "\u{20D0}", "\u{E0100}"])
    func combining(character: String, mark: String) {
        let text = "a\(character)\(mark) onmouseover=alert(1)"
        let value = tag(.p, .set(.title, text)) { text }.markup.dropFirst("<p title=\"".count).dropLast("\"></p>".count)
        #expect(text.unicodeScalars.contains { "\($0)" == character })
        // What is left are the references, and the one `">` between the attribute and the text.
        let inside = value.unicodeScalars.filter { ["\"", "<", ">", "'"].contains("\($0)") }
        #expect(inside.map { "\($0)" } == ["\"", ">", "<"] || inside.map { "\($0)" } == ["\"", ">"])
    }

    @Test("random text contains no markup once it is escaped, and is the same text again once it is read")
    func random() {
        var randomness = SystemRandomNumberGenerator()
        let scalars: [Unicode.Scalar] = [
            "<", ">", "\"", "'", "&", "a", "/", "=", " ", "\u{301}", "\u{200D}", "\u{202E}", ";", "#",
        ]
        for _ in 0..<2_000 {
            var view = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...40, using: &randomness) {
                view.append(scalars[Int.random(in: scalars.indices, using: &randomness)])
            }
            let text = String(view)
            let escaped = HTML.escaped(text)
            #expect(!escaped.unicodeScalars.contains { ["<", ">", "\"", "'"].contains($0) })
            var back = Array(escaped.utf8)
            for (reference, character) in [
                ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&"),
            ] {
                back = back.replacing(Array(reference.utf8), with: Array(character.utf8))
            }
            #expect(back == Array(text.utf8))
        }
    }

    @Test("control characters, which no document may contain, are replaced")
    func controls() {
        #expect(HTML("a\0b\u{1B}c\u{85}d\ne\tf").markup == "a\u{FFFD}b\u{FFFD}c\u{FFFD}d\ne\tf")
    }

    @Test("a document consists of its elements in their order; void elements have no end")
    func document() {
        let names = ["Ada", "Bob"]
        let page = HTML.document(language: "en") {
            tag(.head) { tag(.meta, .set(.charset, "utf-8")) }
            tag(.body) {
                if names.isEmpty { "nobody" } else { tag(.ul) { for name in names { tag(.li) { name } } } }
                tag(.input, .set(.name, "kind"), .flag(.required), .flag(.checked, if: false))
                tag(.div)
            }
        }
        #expect(
            page.markup == """
                <!doctype html>
                <html lang="en"><head><meta charset="utf-8"></head><body><ul><li>Ada</li><li>Bob</li></ul>\
                <input name="kind" required><div></div></body></html>

                """)
    }

    @Test("a link leads to this host, to another over https, or to a contact; never to a script")
    func links() throws {
        #expect(tag(.a, .href("/codes")) { "x" }.markup == "<a href=\"/codes\">x</a>")
        for address in [
            "javascript:alert(1)", "data:text/html,x", "https://a b", "http://example.org", "mailto:a\"b c",
        ] {
            #expect(Contact(address) == nil, "\(address)")
        }
        #expect(Contact("mailto:help@example.org")?.text == "help@example.org")
        #expect(throws: MalformedMessage.self) { try Location(path: "javascript:alert(1)") }
        #expect(throws: MalformedMessage.self) { try Origin("https://example.org; script-src *") }
    }

    @Test("an asset's path and digest follow from its content")
    func assets() throws {
        let one = try Asset("style", "css", type: .css, bytes: Array("a{}".utf8))
        let other = try Asset("style", "css", type: .css, bytes: Array("b{}".utf8))
        #expect(one.location != other.location)
        #expect(one.integrity != other.integrity)
        #expect(one.location.text.wholeMatch(of: /\/assets\/style-[0-9a-f]{8,16}\.css/) != nil)
    }
}
