package import Calling
package import FoundationEssentials
package import Phone
package import Running

/// What the story is played on: a running suite, as its users reach it.
package struct StoryStage: Sendable {
    /// The metadata proxy, as apps reach it.
    package var apps: AppClient
    /// The published tree, as phones reach it.
    package var packages: PackageClient
    /// The test result server, as a laboratory reaches it.
    package var lab: ServiceClient
    /// The verification server, as the portal reaches it.
    package var portal: ServiceClient
    /// How often Apple's service, or what stands in for it, took a push for a token.
    package var wakes: @Sendable (String) async throws -> Int
    /// A health officer's token that allows teleTANs for tests.
    package var officerToken: String
    /// What time it is on the stage; the services must have been told the same.
    package var clock: WallClock
    /// The fewest keys of a package that isn't empty.
    package var minimumKeys: Int
    /// Runs `submission-server fold --as-of`.
    package var fold: @Sendable (Date) async throws -> Void
    /// Runs `distribution publish --as-of`.
    package var publish: @Sendable (Date) async throws -> Void
    /// All published files with their content.
    package var publishedFiles: @Sendable () throws -> [String: Data]
    /// Runs `vigil inspect` on an archive.
    package var inspect: @Sendable (Data) async throws -> (output: String, exitStatus: Int32)

    /// A stage as its parts.
    package init(
        apps: AppClient, packages: PackageClient, lab: ServiceClient, portal: ServiceClient,
        wakes: @escaping @Sendable (String) async throws -> Int, officerToken: String, clock: WallClock,
        minimumKeys: Int, fold: @escaping @Sendable (Date) async throws -> Void,
        publish: @escaping @Sendable (Date) async throws -> Void,
        publishedFiles: @escaping @Sendable () throws -> [String: Data],
        inspect: @escaping @Sendable (Data) async throws -> (output: String, exitStatus: Int32)
    ) {
        self.apps = apps
        self.packages = packages
        self.lab = lab
        self.portal = portal
        self.wakes = wakes
        self.officerToken = officerToken
        self.clock = clock
        self.minimumKeys = minimumKeys
        self.fold = fold
        self.publish = publish
        self.publishedFiles = publishedFiles
        self.inspect = inspect
    }
}
