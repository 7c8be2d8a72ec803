/// A value that is one word of a command line.
package protocol ExpressibleByArgument {
    /// Nil if the word isn't such a value.
    init?(argument: String)

    /// The words for all values, where they are few; empty otherwise.
    static var allValueStrings: [String] { get }

    /// The word for this value, for the help.
    var defaultValueDescription: String { get }
}

extension ExpressibleByArgument {
    /// No words: the values aren't listed.
    package static var allValueStrings: [String] { [] }

    /// The value as text.
    package var defaultValueDescription: String { "\(self)" }
}

extension ExpressibleByArgument where Self: RawRepresentable, RawValue: ExpressibleByArgument {
    /// The value whose raw value the word is.
    package init?(argument: String) {
        guard let value = RawValue(argument: argument) else { return nil }
        self.init(rawValue: value)
    }

    /// The raw value's word.
    package var defaultValueDescription: String { rawValue.defaultValueDescription }
}

extension ExpressibleByArgument where Self: CaseIterable, Self: RawRepresentable, RawValue: ExpressibleByArgument {
    /// The word of each case.
    package static var allValueStrings: [String] { allCases.map(\.defaultValueDescription) }
}

extension ExpressibleByArgument where Self: LosslessStringConvertible {
    /// The value that the word describes.
    package init?(argument: String) {
        self.init(argument)
    }
}

extension String: ExpressibleByArgument {
    /// The word itself.
    package init?(argument: String) {
        self = argument
    }
}

extension Int: ExpressibleByArgument {}
extension UInt64: ExpressibleByArgument {}
extension Double: ExpressibleByArgument {}
