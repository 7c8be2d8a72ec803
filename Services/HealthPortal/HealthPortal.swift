package import ArgumentParser
import Calling
import FoundationEssentials
import HTTPContract
import HTTPTypes
import Logging
import Metrics
import OfficerIdentity
import Pages
package import Running
import Schema
import Serving
import TLS
import TraceKeyAPI
import VerificationAPI

/// The executable `health-portal`: the pages of health officers.
package struct HealthPortal: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "health-portal", abstract: "The pages of health officers: codes, figures, status.",
        subcommands: [ReadyCommand.self])

    /// The options of the command line: the path of the configuration file.
    @OptionGroup package var options: ServiceOptions

    /// For ArgumentParser, which sets the options afterwards.
    package init() {}

    package func run() async throws {
        try await Self.serve(ServiceRuntime(name: "health-portal", options: options))
    }

    /// Runs the service until shutdown.
    package static func serve(_ runtime: ServiceRuntime) async throws {
        let settings = runtime.configuration
        let clock = runtime.clock
        let metrics = PortalMetrics(runtime)
        let origins = try Origins(settings)
        let provider = try Provider(settings)
        try settings.refuseSimulator("provider.issuer", publishedAt: settings.list("origins"))
        let log = IdentityLog(runtime.logger, clock: clock)
        let discovery = try Discovery(provider, clock: clock, failures: metrics.discoveryFailures, log: log)
        let providerKeys = discovery.keys(clock: clock, failures: metrics.keyFailures)
        let rules = IDTokenRules(provider: provider, keys: providerKeys, log: log)
        let calls = ProviderCalls(
            discovery: discovery, credential: try ClientCredential(settings), metrics: metrics, log: log, clock: clock)
        let authorities = try Authority.list(settings)
        let limit = try AttemptLimit(settings, clock: clock)
        let keys = try SessionKeys(settings)
        let pseudonyms = try Pseudonyms(settings)
        let publicTLS = try TLSFiles(settings, prefix: "public", mutual: false)
        let database = try ServiceDatabase.client(for: runtime)
        try await Schema.healthPortal.check(database)
        let databaseClock = try await DatabaseClock(of: runtime, in: database)
        let calendar = try await LocalCalendar(settings, in: database)
        let store = SessionStore(database)
        let audit = try CodeAudit(settings, store: AuditStore(database), clock: clock)
        let sessions = Sessions(
            store: store, keys: keys,
            refreshing: RefreshTokens(store: store, keys: keys, calls: calls, rules: rules, log: log, clock: clock),
            clock: clock)
        let verification = try ServiceClient(
            base: settings.url("verification.url"), tls: TLSFiles(settings), name: "verification-server",
            logger: runtime.logger)
        let check = PeerCheck(
            verification, at: "verification.url", needing: [VerificationAPI.teleTANState.route], logger: runtime.logger)
        let portal = try Portal(settings)
        let pages = PageAnswers(provider: provider.origin, portal: portal, clock: clock)

        let officers = OfficerPages(sessions: sessions, answers: pages)
        let venues = VenueStore(database)
        let entering = VenueEntering(store: venues, audit: audit, pseudonyms: pseudonyms)
        let figures = ShowFigures(store: FigureStore(database, calendar), pages: pages, clock: clock)

        var router = PageRouter()
        router.get("/", use: StartPage(sessions: sessions, pages: pages).handle)
        router.get("/help", use: PublicPage(sessions: sessions, pages: pages, view: { $0.helpPage() }).handle)
        router.get(
            "/accessibility", use: PublicPage(sessions: sessions, pages: pages, view: { $0.accessibilityPage() }).handle
        )
        router.get("/privacy", use: PublicPage(sessions: sessions, pages: pages, view: { $0.privacyPage() }).handle)
        router.get("/language", use: ChooseLanguage(languages: portal.languages).handle)
        router.get(
            "/login",
            use: LogIn(
                discovery: discovery, calls: calls, origins: origins, keys: keys, limit: limit,
                languages: portal.languages, metrics: metrics, clock: clock
            ).handle)
        router.get(
            "/callback",
            use: Callback(
                discovery: discovery, calls: calls, rules: rules, sessions: sessions, origins: origins, keys: keys,
                limit: limit, pages: pages, metrics: metrics, log: log, clock: clock
            ).handle)
        router.post("/logout", use: LogOut(discovery: discovery, sessions: sessions, origins: origins).handle)
        router.get(
            "/codes",
            use: officers.page(
                for: \.mayMakeCodes, use: ShowForms(authorities: authorities, pages: pages, clock: clock).handle))
        router.post(
            "/codes",
            use: officers.page(
                use: MakeCode(
                    sessions: sessions, verification: verification, authorities: authorities, audit: audit,
                    metrics: metrics, log: log, clock: clock
                ).handle))
        router.get("/codes/current", use: officers.page(use: ShowCurrentCode(pages: pages, clock: clock).handle))
        router.post("/codes/current/hide", use: officers.page(use: HideCode(sessions: sessions, hides: true).handle))
        router.post("/codes/current/show", use: officers.page(use: HideCode(sessions: sessions, hides: false).handle))
        router.get("/statistics", use: officers.page(for: \.maySeeFigures, use: figures.page))
        router.get("/statistics.csv", use: officers.page(for: \.maySeeFigures, use: figures.csv))
        router.get("/statistics.json", use: officers.page(for: \.maySeeFigures, use: figures.json))
        router.get(
            "/venues",
            use: officers.page(
                for: \.maySeeVenues,
                use: ShowVenues(store: venues, pseudonyms: pseudonyms, pages: pages, clock: clock).handle))
        router.get(
            "/venues/new",
            use: officers.page(for: \.mayEnterVenues, use: ShowVenueForm(pages: pages, clock: clock).handle))
        router.get(
            "/venues/import", use: officers.page(for: \.mayEnterVenues, use: ShowVenueImport(pages: pages).handle))
        router.post(
            "/venues",
            use: officers.page(
                for: \.mayEnterVenues, use: EnterVenue(entering: entering, pages: pages, clock: clock).handle))
        router.post(
            "/venues/import",
            use: officers.page(
                for: \.mayEnterVenues, use: ImportVenues(entering: entering, pages: pages, clock: clock).handle))
        router.post(
            "/venues/decision",
            use: officers.page(
                for: \.mayDecideOnVenues,
                use: DecideVenue(store: venues, audit: audit, pseudonyms: pseudonyms).handle))
        router.get(
            "/status",
            use: officers.page(
                for: \.maySeeStatus,
                use: ShowStatus(verification: verification, discovery: discovery, pages: pages).handle))
        for asset in Assets.all { router.get(asset) }

        var pageLimits = Limits.outer
        // Longer than a call for tokens and the reads of keys behind it: by then the provider has spent the code or the refresh token.
        pageLimits.handler = .seconds(20)
        let browsers = try Listener(
            "listen", from: settings, defaultPort: 8070, security: .publicTLS(publicTLS), limits: pageLimits
        ) {
            $0.pages(router, origins: origins, bodyLimit: 8 << 10) { error, request in
                pages.refusal(Refusal(error), to: request)
            }
        }
        // A separate listener, so that only the provider's network has to reach it.
        let logOuts = try Listener("provider", from: settings, defaultPort: 8071, security: .publicTLS(publicTLS)) {
            $0.on(
                .post, "/backchannel-logout",
                use: BackChannelLogOut(
                    provider: provider, keys: providerKeys, sessions: sessions, log: log, clock: clock
                ).respond)
        }
        // For machines, with a certificate and a token; officers have neither.
        let authority = TraceKeyAuthority(settings, provider: provider, keys: providerKeys, log: log, clock: clock)
        let tracing = try Listener(
            "tracing", from: settings, defaultPort: 8072, security: .mutualTLS(TLSFiles(settings)), limits: .door
        ) {
            $0.on(
                TraceKeyAPI.traceKeys,
                use: UploadTraceKeys(authority: authority, store: TraceKeyStore(database), clock: clock).handle)
        }
        try await runtime.run(
            listeners: [browsers, logOuts, tracing],
            services: [
                database, ClockWatch(databaseClock, runtime), verification, check,
                discovery.refreshing(in: runtime), providerKeys.refreshing(in: runtime),
                // Sessions end in minutes; their rows go soon after.
                Retention.every(300, for: .healthPortal, in: database, by: databaseClock, runtime),
                // By the hour: a gauge that follows each sign-in would be a log of officers' working times.
                RecurringJob("session-count", in: runtime) {
                    $0.addingTimeInterval(3600)
                } work: { now in
                    let count = try await store.count(at: now.minuteNumber)
                    metrics.sessions.record(Double(count))
                    return ["sessions": "\(count)"]
                },
            ],
            readiness: [ServiceDatabase.readiness(of: database)], warnings: { audit.warnings + check.warnings })
    }
}
