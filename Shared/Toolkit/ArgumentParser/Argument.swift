/// A value without a name, told by its place.
@propertyWrapper package struct Argument<Value: Sendable>: Sendable, CommandLineProperty {
    private var parameter: Parameter<Value>

    /// The parsed value.
    package var wrappedValue: Value {
        get { parameter.value }
        set { parameter = parameter.holding(newValue) }
    }

    /// Never called: it lets a property be declared without parentheses, whose own initialiser an extension has.
    @available(*, unavailable, message: "the value's type isn't one that a command line can have")
    package init() {
        preconditionFailure("unavailable")
    }

    func definitions(of property: String) -> [Definition] { [parameter.definition(of: property)] }
}

extension Argument where Value: ExpressibleByArgument {
    /// A value that must be given.
    package init(help: ArgumentHelp? = nil) {
        parameter = Parameter(.positional, nil, help, initial: nil)
    }
}

extension Argument {
    /// A value that is nil if it isn't given.
    package init<Wrapped: ExpressibleByArgument>(help: ArgumentHelp? = nil) where Value == Wrapped? {
        parameter = Parameter(optional: .positional, nil, help)
    }

    /// A value that must be given, read by a function.
    ///
    /// - Parameter transform: throws ``ValidationError`` for what isn't a value; its message is shown.
    package init(help: ArgumentHelp? = nil, transform: @escaping @Sendable (String) throws -> Value) {
        parameter = Parameter(
            .positional, name: nil, help: help, initial: nil, adding: { _, word in try transform(word) })
    }

    /// A value that is nil if it isn't given, read by a function.
    ///
    /// - Parameter transform: throws ``ValidationError`` for what isn't a value; its message is shown.
    package init<Wrapped>(
        help: ArgumentHelp? = nil, transform: @escaping @Sendable (String) throws -> Wrapped
    ) where Value == Wrapped? {
        parameter = Parameter(
            .positional, name: nil, help: help, initial: .some(nil), adding: { _, word in try transform(word) })
    }
}
