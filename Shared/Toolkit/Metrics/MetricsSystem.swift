import Synchronization

/// The factory of metrics that are made without one.
package enum MetricsSystem {
    @TaskLocal fileprivate static var scoped: (any MetricsFactory)?

    private static let process = Mutex<any MetricsFactory>(NoMetrics())

    /// Sets the factory for the process.
    package static func bootstrap(_ factory: any MetricsFactory) {
        process.withLock { $0 = factory }
    }

    /// The factory of the task (``withMetricsFactory(_:_:)``), or else of the process; before ``bootstrap(_:)``, one that
    /// drops everything.
    package static var factory: any MetricsFactory { scoped ?? process.withLock { $0 } }
}

/// Runs an operation whose metrics, also those of its child tasks, come from a factory.
package func withMetricsFactory<Result>(
    _ factory: any MetricsFactory, _ operation: () async throws -> Result
) async rethrows -> Result {
    try await MetricsSystem.$scoped.withValue(factory, operation: operation)
}

/// Drops everything.
private final class NoMetrics: MetricsFactory, CounterHandler, FloatingPointCounterHandler, MeterHandler,
    RecorderHandler, TimerHandler
{
    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler { self }
    func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler { self }
    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler { self }
    func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler { self }
    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { self }

    func increment(by amount: Int64) {}
    func increment(by amount: Double) {}
    func set(_ value: Double) {}
    func record(_ value: Int64) {}
    func record(_ value: Double) {}
    func recordNanoseconds(_ duration: Int64) {}
}
