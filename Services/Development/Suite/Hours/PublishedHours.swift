package import ExposureKeys
package import Phone

/// The hours in the published index.
package struct PublishedHours: Sendable {
    /// An hour as the index names it.
    package struct Name: Hashable, Sendable {
        /// `yyyy-MM-dd`.
        package let day: String
        /// 0...23.
        package let hour: Int
    }

    /// In order.
    package let names: [Name]
    /// The complete days, in order.
    package let days: [String]
    /// The last of them; nil when nothing is published.
    package let last: Hour?

    /// Reads the indexes of the complete days, and of the day behind them, which is still being filled.
    package init(of packages: PackageClient, today: Day) async throws {
        let complete = try await Self.orEmpty { try await packages.days() }.compactMap { Day(name: $0) }
        let open = complete.max().map { $0.advanced(by: 1) } ?? today
        var names: [(Name, Hour)] = []
        for day in Set(complete + [open, today]).sorted() {
            for hour in try await Self.orEmpty({ try await packages.hours(of: day.name) }) {
                names.append((Name(day: day.name, hour: hour), day.firstHour.advanced(by: hour)))
            }
        }
        self.names = names.map(\.0)
        days = complete.sorted().map(\.name)
        last = names.map(\.1).max()
    }

    /// A missing index names nothing.
    private static func orEmpty<Element>(_ index: () async throws -> [Element]) async throws -> [Element] {
        do {
            return try await index()
        } catch PackageClient.Failure.missing {
            return []
        }
    }
}
