/// An attribute of an element. Its name comes from a fixed list, which has neither event handlers nor `style`.
package struct Attribute: Hashable, Sendable {
    let markup: String

    private init(markup: String) {
        self.markup = markup
    }

    private init(_ name: String, _ value: String) {
        markup = " \(name)=\"\(HTML.escaped(value))\""
    }

    /// The attributes whose values are text.
    package enum Name: String, Hashable, Sendable {
        case id, `class`, lang, title, role, name, value, type, `for`, rel, content, charset, scope, width, height
        case method, autocomplete, inputmode, pattern, integrity, tabindex
        case step, rows, spellcheck
        case ariaLabel = "aria-label"
        case ariaLabelledby = "aria-labelledby"
        case ariaDescribedby = "aria-describedby"
        case ariaHidden = "aria-hidden"
        case ariaLive = "aria-live"
        case ariaCurrent = "aria-current"
        // For the page's script.
        case dataSeconds = "data-seconds"
        case dataWarning = "data-warning"
        case dataText = "data-text"
        // Drawings.
        case viewBox, d, x, y, x1, y1, x2, y2, fill, patternUnits, patternTransform
        case textAnchor = "text-anchor"
    }

    /// The attributes without a value.
    package enum Flag: String, Hashable, Sendable {
        case required, checked, selected, disabled, hidden, `defer`, autofocus, open
    }

    /// An attribute with a text, escaped.
    package static func set(_ name: Name, _ value: String) -> Attribute { Attribute(name.rawValue, value) }
    /// An attribute with a number.
    package static func set(_ name: Name, _ value: Int) -> Attribute { Attribute(name.rawValue, "\(value)") }
    /// An attribute without a value.
    package static func flag(_ flag: Flag) -> Attribute { Attribute(markup: " \(flag.rawValue)") }
    /// An attribute without a value, if a condition holds.
    package static func flag(_ flag: Flag, if isSet: Bool) -> Attribute {
        Attribute(markup: isSet ? " \(flag.rawValue)" : "")
    }

    /// The classes of an element.
    package static func `class`(_ names: String) -> Attribute { .set(.class, names) }
    /// The element's identifier.
    package static func id(_ id: String) -> Attribute { .set(.id, id) }
    /// The language of the element (BCP 47).
    package static func lang(_ tag: String) -> Attribute { .set(.lang, tag) }

    /// The target of a link or the place of a style sheet.
    package static func href(_ target: Location) -> Attribute { Attribute("href", target.text) }
    /// A part of the same page.
    package static func href(fragment id: StaticString) -> Attribute { Attribute("href", "#\(id)") }
    /// An address of e-mail, telephone or web from the operator's configuration.
    package static func href(contact: Contact) -> Attribute { Attribute("href", contact.address) }
    /// The place of a script.
    package static func src(_ place: Location) -> Attribute { Attribute("src", place.text) }
    /// Where a form is sent.
    package static func action(_ target: Location) -> Attribute { Attribute("action", target.text) }
}

/// An address that the operator publishes on a page: `https:`, `mailto:` or `tel:`. Others, such as `javascript:`, are refused.
package struct Contact: Hashable, Sendable {
    let address: String

    /// Nil for any other scheme.
    package init?(_ address: String) {
        guard ["https://", "mailto:", "tel:"].contains(where: { address.hasPrefix($0) }),
            address.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value < 0x7F })
        else { return nil }
        self.address = address
    }

    /// The address as people read it.
    package var text: String {
        String(address.drop { $0 != ":" }.dropFirst().drop { $0 == "/" })
    }
}
