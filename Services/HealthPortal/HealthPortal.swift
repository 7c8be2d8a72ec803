package import ArgumentParser
import Calling
import FoundationEssentials
import HTTPContract
import Hummingbird
import Logging
import Metrics
import OfficerIdentity
import Pages
package import Running
import Schema
import Serving
import TLS
import TraceKeyAPI

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
        let discovery = try Discovery(provider, clock: clock, failures: metrics.discoveryFailures)
        let providerKeys = discovery.keys(clock: clock, failures: metrics.keyFailures)
        let rules = IDTokenRules(provider: provider, keys: providerKeys)
        let tokens = TokenEndpoint(
            discovery: discovery, credential: try ClientCredential(settings), metrics: metrics, clock: clock)
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
            refreshing: RefreshTokens(store: store, keys: keys, tokens: tokens, rules: rules, clock: clock),
            clock: clock)
        let verification = try ServiceClient(
            base: settings.url("verification.url"), tls: TLSFiles(settings), name: "verification-server")
        let pages = PageAnswers(provider: provider.origin, portal: try Portal(settings), clock: clock)

        let router = Router(context: PageContext.self)
        router.add(middleware: RequestRules(origins: origins, pages: pages))
        router.get("/", use: StartPage(sessions: sessions, pages: pages).handle)
        router.get("/help", use: PublicPage(sessions: sessions, pages: pages, view: { $0.helpPage() }).handle)
        router.get(
            "/accessibility", use: PublicPage(sessions: sessions, pages: pages, view: { $0.accessibilityPage() }).handle
        )
        router.get("/privacy", use: PublicPage(sessions: sessions, pages: pages, view: { $0.privacyPage() }).handle)
        router.get("/language", use: ChooseLanguage().handle)
        router.get(
            "/login",
            use: LogIn(
                discovery: discovery, origins: origins, keys: keys, limit: limit, metrics: metrics, clock: clock
            ).handle)
        router.get(
            "/callback",
            use: Callback(
                discovery: discovery, tokens: tokens, rules: rules, sessions: sessions, origins: origins, keys: keys,
                limit: limit, pages: pages, metrics: metrics, clock: clock
            ).handle)
        router.post("/logout", use: LogOut(discovery: discovery, sessions: sessions, origins: origins).handle)
        router.get(
            "/codes",
            use: ShowForms(sessions: sessions, authorities: authorities, pages: pages, clock: clock).handle)
        router.post(
            "/codes",
            use: MakeCode(
                sessions: sessions, verification: verification, authorities: authorities, audit: audit, pages: pages,
                metrics: metrics, clock: clock
            ).handle)
        router.get("/codes/current", use: ShowCurrentCode(sessions: sessions, pages: pages, clock: clock).handle)
        router.post("/codes/current/hide", use: HideCode(sessions: sessions, hides: true).handle)
        router.post("/codes/current/show", use: HideCode(sessions: sessions, hides: false).handle)

        let figures = ShowFigures(
            sessions: sessions, store: FigureStore(database, calendar), pages: pages, clock: clock)
        router.get("/statistics", use: { try await figures.page($0, $1) })
        router.get("/statistics.csv", use: { try await figures.csv($0, $1) })
        router.get("/statistics.json", use: { try await figures.json($0, $1) })
        let venues = VenueStore(database)
        let entering = VenueEntering(store: venues, audit: audit, pseudonyms: pseudonyms)
        router.get(
            "/venues",
            use: ShowVenues(
                sessions: sessions, store: venues, pseudonyms: pseudonyms, pages: pages, clock: clock
            ).handle)
        router.get("/venues/new", use: ShowVenueForm(sessions: sessions, pages: pages, clock: clock).handle)
        router.get("/venues/import", use: ShowVenueImport(sessions: sessions, pages: pages).handle)
        router.post(
            "/venues", use: EnterVenue(sessions: sessions, entering: entering, pages: pages, clock: clock).handle)
        router.post(
            "/venues/import",
            use: ImportVenues(sessions: sessions, entering: entering, pages: pages, clock: clock).handle)
        router.post(
            "/venues/decision",
            use: DecideVenue(
                sessions: sessions, store: venues, audit: audit, pseudonyms: pseudonyms, pages: pages
            ).handle)
        router.get(
            "/status",
            use: ShowStatus(
                sessions: sessions, verification: verification, discovery: discovery, pages: pages
            ).handle)
        Assets.mount(on: router)

        let browsers = try Listener("listen", from: settings, defaultPort: 8070, security: .publicTLS(publicTLS)) {
            $0.pages(router, bodyLimit: 8 << 10) { problem, exchange in
                pages.refusal(Refusal(problem), to: Request(exchange))
            }
        }
        // A separate listener, so that only the provider's network has to reach it.
        let logOuts = try Listener("provider", from: settings, defaultPort: 8071, security: .publicTLS(publicTLS)) {
            $0.on(
                .post, "/backchannel-logout",
                use: BackChannelLogOut(provider: provider, keys: providerKeys, sessions: sessions, clock: clock).respond
            )
        }
        // For machines, with a certificate and a token; officers have neither.
        let authority = TraceKeyAuthority(settings, provider: provider, keys: providerKeys, clock: clock)
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
                database, ClockWatch(databaseClock, runtime), verification,
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
            readiness: [ServiceDatabase.readiness(of: database)], warnings: { audit.warnings })
    }
}

extension Request {
    /// A request that was refused before a page could read its body.
    fileprivate init(_ exchange: Exchange) {
        self.init(head: exchange.request.head, body: RequestBody(buffer: .init()))
    }
}
