/// A value behind a name: `--name value` or `--name=value`. A later one replaces an earlier one, unless it is an array.
@propertyWrapper package struct Option<Value: Sendable>: Sendable, CommandLineProperty {
    private var parameter: Parameter<Value>

    /// The parsed value.
    package var wrappedValue: Value {
        get { parameter.value }
        set { parameter = parameter.holding(newValue) }
    }

    func definitions(of property: String) -> [Definition] { [parameter.definition(of: property)] }
}

extension Option where Value: ExpressibleByArgument {
    /// A value that must be given.
    package init(name: NameSpecification? = nil, help: ArgumentHelp? = nil) {
        parameter = Parameter(.option, name, help, initial: nil)
    }

    /// A value that needn't be given.
    package init(wrappedValue: Value, name: NameSpecification? = nil, help: ArgumentHelp? = nil) {
        parameter = Parameter(.option, name, help, initial: wrappedValue)
    }
}

extension Option {
    /// A value that is nil if it isn't given.
    package init<Wrapped: ExpressibleByArgument>(
        name: NameSpecification? = nil, help: ArgumentHelp? = nil
    ) where Value == Wrapped? {
        parameter = Parameter(optional: .option, name, help)
    }

    /// Values of which at least one must be given.
    package init<Element: ExpressibleByArgument>(
        name: NameSpecification? = nil, parsing: ArrayParsingStrategy = .singleValue, help: ArgumentHelp? = nil
    ) where Value == [Element] {
        parameter = Parameter(array: .option, name, help, initial: nil, parsing)
    }

    /// Values that replace the initial ones.
    package init<Element: ExpressibleByArgument>(
        wrappedValue: Value, name: NameSpecification? = nil, parsing: ArrayParsingStrategy = .singleValue,
        help: ArgumentHelp? = nil
    ) where Value == [Element] {
        parameter = Parameter(array: .option, name, help, initial: wrappedValue, parsing)
    }
}
