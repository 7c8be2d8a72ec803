/// A part of a page, ready to be sent. Everything that isn't markup from this module was escaped.
///
/// Text and attribute values are escaped by Unicode scalar. An engine that escapes by `Character` misses a quote that a combining
/// mark follows, and such a name would end its attribute. There is no way to insert markup as text.
package struct HTML: Hashable, Sendable {
    let markup: String

    init(markup: String) {
        self.markup = markup
    }

    /// What is sent, in UTF-8.
    package var bytes: [UInt8] { Array(markup.utf8) }

    /// Text, escaped.
    package init(_ text: some StringProtocol) {
        markup = Self.escaped(text)
    }

    /// Nothing.
    package static let empty = HTML(markup: "")

    /// A whole document, from `<!doctype html>` to `</html>`.
    ///
    /// - Parameter language: a language tag (BCP 47), such as `de`.
    package static func document(language: String, @HTMLBuilder content: () -> HTML) -> HTML {
        HTML(markup: "<!doctype html>\n" + tag(.html, .lang(language), content: content).markup + "\n")
    }

    /// The text with all characters that could end a text or a quoted attribute value as character references.
    ///
    /// Control characters, which no document may contain (HTML, section 13.2.3.5), become U+FFFD.
    static func escaped(_ text: some StringProtocol) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result.append(contentsOf: "&amp;".unicodeScalars)
            case "<": result.append(contentsOf: "&lt;".unicodeScalars)
            case ">": result.append(contentsOf: "&gt;".unicodeScalars)
            case "\"": result.append(contentsOf: "&quot;".unicodeScalars)
            case "'": result.append(contentsOf: "&#39;".unicodeScalars)
            case "\n", "\t": result.append(scalar)
            case "\0"..."\u{1F}", "\u{7F}"..."\u{9F}": result.append("\u{FFFD}")
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}

extension HTML: ExpressibleByStringInterpolation {
    /// Text from a literal, escaped.
    package init(stringLiteral value: String) {
        self.init(value)
    }
}

/// Joins the parts of a page: elements, texts, and what `if` and `for` produce.
@resultBuilder
package enum HTMLBuilder {
    /// An element.
    package static func buildExpression(_ part: HTML) -> HTML { part }
    /// Text, escaped.
    package static func buildExpression(_ text: String) -> HTML { HTML(text) }
    /// Elements from a function.
    package static func buildExpression(_ parts: [HTML]) -> HTML { buildArray(parts) }
    /// The parts in their order.
    package static func buildBlock(_ parts: HTML...) -> HTML { buildArray(parts) }
    /// The parts of a loop.
    package static func buildArray(_ parts: [HTML]) -> HTML { HTML(markup: parts.map(\.markup).joined()) }
    /// `if` without `else`.
    package static func buildOptional(_ part: HTML?) -> HTML { part ?? .empty }
    /// `if`.
    package static func buildEither(first: HTML) -> HTML { first }
    /// `else`.
    package static func buildEither(second: HTML) -> HTML { second }
}

/// An element with its content.
package func tag(_ name: Tag, _ attributes: Attribute..., @HTMLBuilder content: () -> HTML) -> HTML {
    HTML(markup: "<\(name.rawValue)\(attributes.map(\.markup).joined())>\(content().markup)</\(name.rawValue)>")
}

/// An element without content.
package func tag(_ name: Tag, _ attributes: Attribute...) -> HTML {
    let start = "<\(name.rawValue)\(attributes.map(\.markup).joined())>"
    return HTML(markup: name.isVoid ? start : "\(start)</\(name.rawValue)>")
}
