package import ExposureKeys
package import FoundationEssentials
package import Phone
package import Running
import Vigil

/// Closes an hour of a suite for development before it has ended, so that nobody waits to see their keys published.
///
/// The fold and the publication run as they do every hour, told of an instant that hasn't come yet. Uploads then join the next hour,
/// which may be closed in the same way.
package struct HourClosing: Sendable {
    /// The published tree, as phones reach it.
    package let packages: PackageClient
    /// What time it is for the services.
    package let clock: WallClock
    /// Runs `submission-server fold --as-of`.
    package let fold: @Sendable (Date) async throws -> Void
    /// Runs `distribution publish --as-of`.
    package let publish: @Sendable (Date) async throws -> Void

    /// A closing as its parts.
    package init(
        packages: PackageClient, clock: WallClock, fold: @escaping @Sendable (Date) async throws -> Void,
        publish: @escaping @Sendable (Date) async throws -> Void
    ) {
        self.packages = packages
        self.clock = clock
        self.fold = fold
        self.publish = publish
    }

    /// Folds and publishes the open hour, and those before it that are not published yet.
    /// - Parameter last: a later hour; then all up to it are closed.
    /// - Returns: the hours that are published now and weren't before.
    package func close(through last: Hour? = nil) async throws -> [PublishedHours.Name] {
        let before = try await published()
        let open = hour(after: before)
        let hour = last.map { max($0, open) } ?? open
        try await fold(hour.end)
        try await publish(hour.end)
        let after = try await published(through: hour)
        return after.names.filter { !before.names.contains($0) }
    }

    /// The hours that phones find, once they find an hour that is published.
    package func published(through hour: Hour) async throws -> PublishedHours {
        var after = try await published()
        // A web server may answer with the old index for a moment.
        let deadline = ContinuousClock.now + Self.patience
        while after.last.map({ $0 < hour }) ?? true {
            guard ContinuousClock.now < deadline else {
                throw CommandFailure("The hour is folded, but not published; `distribution explain` says why.")
            }
            try await Task.sleep(for: .milliseconds(100))
            after = try await published()
        }
        return after
    }

    /// How long the index may lack a published hour.
    private static let patience = Duration.seconds(10)

    /// The hour that uploads join now: the running one, unless it is published already.
    package func hour(after published: PublishedHours) -> Hour {
        let present = Hour(containing: clock.now)
        return published.last.map { max(present, $0.advanced(by: 1)) } ?? present
    }

    /// The hours that phones find.
    package func published() async throws -> PublishedHours {
        try await PublishedHours(of: packages, today: Day(containing: clock.now))
    }
}
