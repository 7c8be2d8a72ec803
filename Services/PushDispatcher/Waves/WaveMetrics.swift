import Metrics

/// Metrics of waves.
struct WaveMetrics: Sendable {
    private let waves: [WaveOutcome: Counter]
    private let accepted: Counter
    private let unregistered: Counter
    private let wrong: Counter
    private let givenUp: Counter
    private let unreadable: Counter
    private let removed: Counter
    private let size: Gauge

    init(_ factory: any MetricsFactory) {
        func pushes(_ outcome: String) -> Counter {
            Counter(label: "pushes_total", dimensions: [("outcome", outcome)], factory: factory)
        }
        waves = Dictionary(
            uniqueKeysWithValues: WaveOutcome.allCases.map { outcome in
                (
                    outcome,
                    Counter(label: "push_waves_total", dimensions: [("outcome", outcome.rawValue)], factory: factory)
                )
            })
        accepted = pushes("accepted")
        unregistered = pushes("unregistered")
        wrong = pushes("wrong_token")
        givenUp = pushes("given_up")
        unreadable = pushes("unreadable")
        removed = Counter(label: "push_registrations_removed_total", factory: factory)
        size = Gauge(label: "push_wave_registrations", factory: factory)
    }

    func begin(_ wave: Wave) { size.record(wave.size) }

    func count(_ page: WavePage, _ report: PageReport) {
        accepted.increment(by: report.accepted.count)
        unregistered.increment(by: report.gone.count)
        wrong.increment(by: report.wrong.count)
        givenUp.increment(by: report.givenUp)
        unreadable.increment(by: page.unreadable)
    }

    func countRemoved(_ rows: Int) { removed.increment(by: rows) }

    func end(_ outcome: WaveOutcome) { waves[outcome]?.increment() }
}
