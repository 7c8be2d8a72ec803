import Foundation

/// A form on a page, as somebody sees it who fills it in.
struct PageForm {
    /// Where it is sent.
    let action: String
    /// The fields that nobody fills in.
    let hidden: [String: String]
    /// The names of the fields that somebody fills in.
    let inputs: Set<String>

    /// All forms of a page.
    static func all(in html: String) -> [PageForm] {
        html.matches(of: /<form\b([^>]*)>(.*?)<\/form>/.dotMatchesNewlines()).map { match in
            var hidden: [String: String] = [:]
            var inputs: Set<String> = []
            for field in match.2.matches(of: /<(?:input|select)\b([^>]*)>/) {
                guard let name = value(of: "name", in: field.1) else { continue }
                if value(of: "type", in: field.1) == "hidden" {
                    hidden[name] = value(of: "value", in: field.1) ?? ""
                } else {
                    inputs.insert(name)
                }
            }
            return PageForm(action: value(of: "action", in: match.1) ?? "", hidden: hidden, inputs: inputs)
        }
    }

    /// The text with its character references resolved.
    static func text(_ markup: some StringProtocol) -> String {
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")].reduce(String(markup)) {
            $0.replacing($1.0, with: $1.1)
        }
    }

    private static func value(of name: String, in attributes: Substring) -> String? {
        for attribute in attributes.matches(of: /\b([a-z-]+)="([^"]*)"/) where attribute.1 == name {
            return text(attribute.2)
        }
        return nil
    }
}
