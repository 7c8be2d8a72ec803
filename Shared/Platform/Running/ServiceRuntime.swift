import FoundationEssentials
package import Logging
import Metrics
import Synchronization
package import UnixSignals

/// The surroundings of every executable's own work: settings, log, metrics, clock, ports and graceful shutdown.
///
/// It reads these keys itself: `log.level` (default info), `clock.offset` (seconds, for rehearsals only), `clock.file` (a
/// ``SharedClock``, for rehearsals only), `admin.port`, `metrics.port` and `metrics.host` (no such listener by default), `shutdown.delay` (seconds between "not ready" and closed
/// ports, default 0).
package struct ServiceRuntime: Sendable {
    /// The executable's name in log lines and messages to the operator, such as `submission-server`.
    package let name: String
    /// All settings. The service reads its own from them at startup.
    package let configuration: Settings
    /// From `log.level` upwards.
    package let logger: Logger
    /// The time of day for expiry, embargo and retention; `clock.offset` or `clock.file` moves it.
    package let clock: WallClock
    /// Whether a setting moves the clock. Only a rehearsal's database accepts that.
    package let isRehearsal: Bool
    /// The metrics at the admin port's `/metrics`.
    package let metrics: PrometheusMetrics
    /// The signals that end the process; none in tests.
    package let signals: [UnixSignal]
    /// The admin port if `admin.port` isn't set; nil if it must be set.
    package let adminPortDefault: Int?
    /// The admin port, once it is open.
    package let admin = BoundPort()
    /// The port for Prometheus, once it is open.
    package let metricsBound = BoundPort()
    /// Resolves, with any number, once all ports are open.
    package let opening = BoundPort()
    /// Checks the TLS files of all listeners and clients while the service runs.
    package let certificates: CertificateWatch

    /// Reads the configuration, environment first, and sets up metrics for the whole process.
    ///
    /// - Throws: ``ConfigurationProblem``.
    package init(name: String, options: ServiceOptions) throws {
        let settings = try Settings(file: options.configurationFile)
        let levelName = settings.string("log.level", default: "info")
        guard let level = Logger.Level(rawValue: levelName) else {
            throw settings.wrong("log.level", "must be trace, debug, info, notice, warning, error or critical")
        }
        let movedClock = try Self.movedClock(settings)
        let metrics = PrometheusMetrics()
        Self.bootstrap(metrics)
        self.init(
            name: name, settings: settings,
            logger: Logger(label: name) { JSONLogHandler(label: $0, level: level) },
            clock: movedClock ?? .system, isRehearsal: movedClock != nil, metrics: metrics,
            signals: [.sigterm, .sigint], adminPortDefault: nil)
        if isRehearsal { logger.warning("the clock is moved: rehearsals only") }
    }

    /// The clock that `clock.offset` or `clock.file` moves; nil without either.
    private static func movedClock(_ settings: Settings) throws -> WallClock? {
        let offset = settings.optionalString("clock.offset")
        guard let seconds = offset.map({ Double($0) }) ?? 0, seconds.isFinite else {
            throw settings.wrong("clock.offset", "must be a number of seconds")
        }
        guard let file = settings.optionalString("clock.file") else {
            return seconds == 0 ? nil : .offset(by: seconds)
        }
        guard seconds == 0 else { throw settings.wrong("clock.file", "excludes clock.offset") }
        return try SharedClock(path: file).clock
    }

    /// A runtime for tests: settings in memory, own metrics, no signals, nothing global; `admin.port` is 0 unless set.
    package init(name: String, settings: [String: String], clock: WallClock, logger: Logger) {
        self.init(
            name: name, settings: Settings(settings), logger: logger, clock: clock, isRehearsal: false,
            metrics: PrometheusMetrics(), signals: [], adminPortDefault: 0)
    }

    private init(
        name: String, settings: Settings, logger: Logger, clock: WallClock, isRehearsal: Bool,
        metrics: PrometheusMetrics, signals: [UnixSignal], adminPortDefault: Int?
    ) {
        self.name = name
        configuration = settings
        self.logger = logger
        self.clock = clock
        self.isRehearsal = isRehearsal
        self.metrics = metrics
        self.signals = signals
        self.adminPortDefault = adminPortDefault
        certificates = CertificateWatch(metrics: metrics, logger: logger)
    }

    /// The port of health, readiness and metrics, once it is open.
    package var adminPort: Int {
        get async throws { try await admin.value }
    }

    /// The port for Prometheus, once it is open; this never returns if `metrics.port` isn't set.
    package var metricsPort: Int {
        get async throws { try await metricsBound.value }
    }

    /// Returns once all ports are open.
    ///
    /// - Throws: the reason why the service couldn't open them.
    package func opened() async throws {
        _ = try await opening.value
    }

    /// Checks the TLS files of all listeners and clients now instead of at the next interval.
    ///
    /// Afterwards every new connection uses the newest valid files.
    package func checkCertificates() async {
        await certificates.check()
    }

    // MARK: Once per process

    private static let isBootstrapped = Mutex(false)

    /// The first runtime's metrics are the process's; a second runtime keeps its own.
    private static func bootstrap(_ metrics: PrometheusMetrics) {
        let isFirst = isBootstrapped.withLock { done in
            defer { done = true }
            return !done
        }
        if isFirst { MetricsSystem.bootstrap(metrics) }
    }
}
