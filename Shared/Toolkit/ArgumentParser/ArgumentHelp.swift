/// What the help says about a property.
package struct ArgumentHelp: ExpressibleByStringInterpolation, Sendable {
    /// The sentence about it.
    let abstract: String

    /// What stands for its value; nil for the property's name.
    let valueName: String?

    /// A sentence, and what stands for the value in `--option <value>`.
    package init(_ abstract: String = "", valueName: String? = nil) {
        self.abstract = abstract
        self.valueName = valueName
    }

    /// The abstract alone.
    package init(stringLiteral value: String) {
        self.init(value)
    }
}

/// How an option is called.
package struct NameSpecification: Sendable {
    let name: String

    /// This name, behind two hyphens, instead of the property's.
    package static func customLong(_ name: String) -> Self { Self(name: name) }
}

/// How an option with several values is given.
package enum ArrayParsingStrategy: Sendable {
    /// One value after each mention of the option.
    case singleValue

    /// All values up to the next option after one mention.
    case upToNextOption
}
