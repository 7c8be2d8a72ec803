import Synchronization

/// A property of a command line: what the parser and the help have to know, without its type.
struct Definition {
    enum Kind: Equatable {
        case option
        case flag
        case positional
    }

    let kind: Kind

    /// The option's name without hyphens; of a positional argument, what stands for it.
    let name: String

    let valueName: String
    let help: String
    let isRequired: Bool
    let isRepeated: Bool
    let takesAllValues: Bool
    let defaultText: String?
    let allValues: [String]

    /// Stores a value. Throws ``WrongValue`` or what a `transform` throws.
    let store: (String) throws -> Void

    /// `--option <value>`, `--flag` or `<argument>`.
    var label: String {
        switch kind {
        case .option: "--\(name) <\(valueName)>"
        case .flag: "--\(name)"
        case .positional: "<\(valueName)>"
        }
    }
}

/// A word that isn't a value of its property's type.
struct WrongValue: Error {}

/// A property of a command line and its value.
///
/// The parser fills it by reference: it finds a command's properties by reflection, which gives copies.
final class Parameter<Value: Sendable>: Sendable {
    private let kind: Definition.Kind
    private let name: String?
    private let help: ArgumentHelp
    private let initial: Value?
    private let isRepeated: Bool
    private let takesAllValues: Bool
    private let defaultText: String?
    private let allValues: [String]

    /// The value after another word, given the one before; nil before the first word.
    private let adding: @Sendable (Value?, String) throws -> Value

    private let parsed: Mutex<Value?>

    init(
        _ kind: Definition.Kind, name: NameSpecification?, help: ArgumentHelp?, initial: Value?,
        isRepeated: Bool = false, takesAllValues: Bool = false, defaultText: String? = nil, allValues: [String] = [],
        adding: @escaping @Sendable (Value?, String) throws -> Value
    ) {
        self.kind = kind
        self.name = name?.name
        self.help = help ?? ArgumentHelp()
        self.initial = initial
        self.isRepeated = isRepeated
        self.takesAllValues = takesAllValues
        self.defaultText = defaultText
        self.allValues = allValues
        self.adding = adding
        parsed = Mutex(nil)
    }

    var value: Value {
        guard let value = parsed.withLock({ $0 }) ?? initial else {
            preconditionFailure("a property of a command line is read before it is parsed")
        }
        return value
    }

    /// Another parameter of the same kind that has a value.
    func holding(_ value: Value) -> Parameter {
        Parameter(
            kind, name: name.map { .customLong($0) }, help: help, initial: value, isRepeated: isRepeated,
            takesAllValues: takesAllValues, defaultText: defaultText, allValues: allValues, adding: adding)
    }

    /// - Parameter property: the property's name in Swift.
    func definition(of property: String) -> Definition {
        let name = name ?? kebabCase(property)
        return Definition(
            kind: kind, name: name, valueName: help.valueName ?? name, help: help.abstract,
            isRequired: initial == nil, isRepeated: isRepeated, takesAllValues: takesAllValues,
            defaultText: defaultText, allValues: allValues,
            store: { [self] word in
                let before = parsed.withLock { $0 }
                let after = try adding(before, word)
                parsed.withLock { $0 = after }
            })
    }
}

extension Parameter where Value: ExpressibleByArgument {
    /// One value.
    convenience init(_ kind: Definition.Kind, _ name: NameSpecification?, _ help: ArgumentHelp?, initial: Value?) {
        self.init(
            kind, name: name, help: help, initial: initial, defaultText: initial?.defaultValueDescription,
            allValues: Value.allValueStrings, adding: { _, word in try read(word) })
    }
}

extension Parameter {
    /// One value that may be missing.
    convenience init<Wrapped: ExpressibleByArgument>(
        optional kind: Definition.Kind, _ name: NameSpecification?, _ help: ArgumentHelp?
    ) where Value == Wrapped? {
        self.init(
            kind, name: name, help: help, initial: .some(nil), allValues: Wrapped.allValueStrings,
            adding: { _, word in try read(word) as Wrapped })
    }

    /// Any number of values; at least one if there is no initial value.
    convenience init<Element: ExpressibleByArgument>(
        array kind: Definition.Kind, _ name: NameSpecification?, _ help: ArgumentHelp?, initial: [Element]?,
        _ strategy: ArrayParsingStrategy = .singleValue
    ) where Value == [Element] {
        let defaultText = initial?.map(\.defaultValueDescription).joined(separator: ", ")
        self.init(
            kind, name: name, help: help, initial: initial, isRepeated: true,
            takesAllValues: strategy == .upToNextOption, defaultText: defaultText, allValues: Element.allValueStrings,
            adding: { before, word in try (before ?? []) + [read(word)] })
    }
}

private func read<Value: ExpressibleByArgument>(_ word: String) throws -> Value {
    guard let value = Value(argument: word) else { throw WrongValue() }
    return value
}

/// A property wrapper of a command line.
protocol CommandLineProperty {
    /// - Parameter property: the property's name in Swift.
    func definitions(of property: String) -> [Definition]
}

/// The definitions of a command's properties, in their order, those of its groups among them.
func definitions(of arguments: any ParsableArguments) -> [Definition] {
    Mirror(reflecting: arguments).children.flatMap { child in
        // A wrapper's storage has its property's name behind an underscore.
        (child.value as? any CommandLineProperty)?.definitions(of: String(child.label?.dropFirst() ?? "")) ?? []
    }
}
