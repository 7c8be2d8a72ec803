import ArgumentParser

/// A setting of one service that `vigil-dev up` adds or overrides.
///
/// On the command line it is `service.key=value`, such as `metadata-proxy.answers.deadline=50`; a service's name has no dot.
package struct SettingChange: ExpressibleByArgument, Hashable, Sendable {
    /// The service's name in the plan and in the state folder.
    package let service: String
    /// Dotted, as the service's README lists it.
    package let key: String
    /// A whole number stays a number; anything else is text.
    package let value: SettingValue

    /// Nil unless there is a service, a key and an equals sign.
    package init?(argument text: String) {
        guard let equals = text.firstIndex(of: "="), let dot = text[..<equals].firstIndex(of: "."),
            dot > text.startIndex,
            text.index(after: dot) < equals
        else { return nil }
        service = String(text[..<dot])
        key = String(text[text.index(after: dot)..<equals])
        let value = String(text[text.index(after: equals)...])
        self.value = Int(value).map { .number($0) } ?? .text(value)
    }
}
