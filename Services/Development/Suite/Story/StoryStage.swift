package import Calling
package import Catalogue
package import FoundationEssentials
package import Phone
package import Running

/// The surroundings of the story: a running suite, as its users reach it.
package struct StoryStage: Sendable {
    /// The country that the suite works for.
    package var country: SuiteCountry
    /// The metadata proxy, as apps reach it.
    package var apps: AppClient
    /// The published tree, as phones reach it.
    package var packages: PackageClient
    /// The same for apps that warn of encounters in other countries as well.
    package var europe: PackageClient
    /// The test result server, as a laboratory reaches it.
    package var lab: ServiceClient
    /// A health officer at the portal, who makes a code for a test.
    package var officer: PortalVisit
    /// Whether a service runs; parts that need one that doesn't are left out.
    package var runs: @Sendable (Catalogue.Service) -> Bool
    /// The verification server, as an outside portal reaches it.
    package var portal: ServiceClient
    /// The health portal, as a contact tracing system reaches it.
    package var tracing: ServiceClient
    /// A token for one upload of trace keys.
    package var traceKeyToken: @Sendable () async throws -> String
    /// How often APNs, or its simulation, accepted a push for a token.
    package var wakes: @Sendable (String) async throws -> Int
    /// A health officer's token that allows teleTANs for tests, for an outside portal.
    package var officerToken: String
    /// The clock of the stage; the services must run on the same time.
    package var clock: WallClock
    /// The smallest number of keys in a package that isn't empty.
    package var minimumKeys: Int
    /// What ends an hour.
    package var closing: HourClosing
    /// The control port of the simulated gateway.
    package var gateway: ServiceClient
    /// The control port of those who vouch for phones, simulated.
    package var vouchers: ServiceClient
    /// data-donation, as the server of a survey reaches it.
    package var surveys: ServiceClient
    /// Runs `federation run --as-of`.
    package var exchange: @Sendable (Date) async throws -> Void
    /// Runs `further publish --as-of`.
    package var publishReports: @Sendable (Date) async throws -> Void
    /// All published files with their content.
    package var publishedFiles: @Sendable () throws -> [String: Data]
    /// Runs `vigil inspect` on an archive.
    package var inspect: @Sendable (Data) async throws -> (output: String, exitStatus: Int32)

    /// Creates a stage from its parts.
    package init(
        country: SuiteCountry = .standard, apps: AppClient, packages: PackageClient, europe: PackageClient,
        lab: ServiceClient, officer: PortalVisit,
        portal: ServiceClient, tracing: ServiceClient, traceKeyToken: @escaping @Sendable () async throws -> String,
        wakes: @escaping @Sendable (String) async throws -> Int, officerToken: String, clock: WallClock,
        minimumKeys: Int, closing: HourClosing, gateway: ServiceClient, vouchers: ServiceClient,
        surveys: ServiceClient, runs: @escaping @Sendable (Catalogue.Service) -> Bool = { _ in true },
        exchange: @escaping @Sendable (Date) async throws -> Void,
        publishReports: @escaping @Sendable (Date) async throws -> Void,
        publishedFiles: @escaping @Sendable () throws -> [String: Data],
        inspect: @escaping @Sendable (Data) async throws -> (output: String, exitStatus: Int32)
    ) {
        self.country = country
        self.apps = apps
        self.packages = packages
        self.europe = europe
        self.lab = lab
        self.officer = officer
        self.portal = portal
        self.tracing = tracing
        self.traceKeyToken = traceKeyToken
        self.wakes = wakes
        self.officerToken = officerToken
        self.clock = clock
        self.minimumKeys = minimumKeys
        self.closing = closing
        self.gateway = gateway
        self.vouchers = vouchers
        self.surveys = surveys
        self.runs = runs
        self.exchange = exchange
        self.publishReports = publishReports
        self.publishedFiles = publishedFiles
        self.inspect = inspect
    }
}
