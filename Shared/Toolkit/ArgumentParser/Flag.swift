/// Something that is said or not: `--name`.
@propertyWrapper package struct Flag: Sendable, CommandLineProperty {
    private var parameter: Parameter<Bool>

    /// Whether the flag was given.
    package var wrappedValue: Bool {
        get { parameter.value }
        set { parameter = parameter.holding(newValue) }
    }

    /// Something that isn't said unless it is.
    package init(wrappedValue: Bool, name: NameSpecification? = nil, help: ArgumentHelp? = nil) {
        parameter = Parameter(.flag, name: name, help: help, initial: wrappedValue, adding: { _, _ in true })
    }

    func definitions(of property: String) -> [Definition] { [parameter.definition(of: property)] }
}

/// Properties that several commands share.
@propertyWrapper package struct OptionGroup<Value: ParsableArguments & Sendable>: Sendable, CommandLineProperty {
    package var wrappedValue: Value

    /// The group's properties, in the place of this one.
    package init() {
        wrappedValue = Value()
    }

    func definitions(of property: String) -> [Definition] { ArgumentParser.definitions(of: wrappedValue) }
}
