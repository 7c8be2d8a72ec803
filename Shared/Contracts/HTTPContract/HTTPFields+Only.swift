package import HTTPTypes

extension HTTPFields {
    /// The value of a field that was sent once; nil if it wasn't sent, or more than once.
    ///
    /// The library's subscript joins values into a new string, even a single one.
    package func only(_ name: HTTPField.Name) -> String? {
        var value: String?
        for field in self where field.name == name {
            guard value == nil else { return nil }
            value = field.value
        }
        return value
    }
}
