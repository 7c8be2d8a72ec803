import ArgumentParser
package import FoundationEssentials

/// An instant on a command line, such as `2026-11-21T14:00:00Z`.
package struct Instant: ExpressibleByArgument, Sendable {
    /// The instant, whatever offset it was written with.
    package let date: Date

    /// Nil unless the text is an ISO 8601 date and time with `Z` or an offset.
    package init?(argument: String) {
        guard let date = try? Date(argument, strategy: .iso8601) else { return nil }
        self.date = date
    }
}
