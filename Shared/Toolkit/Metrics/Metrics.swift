/// A number of events, which only grows.
package struct Counter: Sendable {
    private let handler: any CounterHandler

    /// The counter of a label and dimensions.
    package init(
        label: String, dimensions: [(String, String)] = [], factory: any MetricsFactory = MetricsSystem.factory
    ) {
        handler = factory.makeCounter(label: label, dimensions: dimensions)
    }

    /// Counts an event.
    package func increment() {
        handler.increment(by: 1)
    }

    /// Counts events.
    package func increment(by amount: some BinaryInteger) {
        handler.increment(by: Int64(clamping: amount))
    }
}

/// A sum of fractional amounts, which only grows.
package struct FloatingPointCounter: Sendable {
    private let handler: any FloatingPointCounterHandler

    /// The counter of a label and dimensions.
    package init(
        label: String, dimensions: [(String, String)] = [], factory: any MetricsFactory = MetricsSystem.factory
    ) {
        handler = factory.makeFloatingPointCounter(label: label, dimensions: dimensions)
    }

    /// Adds an amount.
    package func increment(by amount: some BinaryFloatingPoint) {
        handler.increment(by: Double(amount))
    }
}

/// A value that goes up and down.
package struct Meter: Sendable {
    private let handler: any MeterHandler

    /// The meter of a label and dimensions.
    package init(
        label: String, dimensions: [(String, String)] = [], factory: any MetricsFactory = MetricsSystem.factory
    ) {
        handler = factory.makeMeter(label: label, dimensions: dimensions)
    }

    /// Sets the value.
    package func set(_ value: some BinaryInteger) {
        handler.set(Double(value))
    }
}

/// Values of which all count.
package struct Recorder: Sendable {
    private let handler: any RecorderHandler

    /// The recorder of a label and dimensions.
    package init(
        label: String, dimensions: [(String, String)] = [], factory: any MetricsFactory = MetricsSystem.factory
    ) {
        handler = factory.makeRecorder(label: label, dimensions: dimensions, aggregate: true)
    }

    /// Records a value.
    package func record(_ value: some BinaryInteger) {
        handler.record(Int64(clamping: value))
    }
}

/// Values of which the last one counts.
package struct Gauge: Sendable {
    private let handler: any RecorderHandler

    /// The gauge of a label and dimensions.
    package init(
        label: String, dimensions: [(String, String)] = [], factory: any MetricsFactory = MetricsSystem.factory
    ) {
        handler = factory.makeRecorder(label: label, dimensions: dimensions, aggregate: false)
    }

    /// Sets the value.
    package func record(_ value: some BinaryInteger) {
        handler.record(Int64(clamping: value))
    }

    /// Sets the value.
    package func record(_ value: some BinaryFloatingPoint) {
        handler.record(Double(value))
    }
}

/// Durations.
package struct Timer: Sendable {
    private let handler: any TimerHandler

    /// The timer of a label and dimensions.
    package init(
        label: String, dimensions: [(String, String)] = [], factory: any MetricsFactory = MetricsSystem.factory
    ) {
        handler = factory.makeTimer(label: label, dimensions: dimensions)
    }

    /// Records a duration.
    package func recordNanoseconds(_ duration: Int64) {
        handler.recordNanoseconds(duration)
    }

    /// Records a duration.
    package func recordMilliseconds(_ duration: Int64) {
        recordNanoseconds(duration.nanoseconds(in: 1_000_000))
    }

    /// Records a duration.
    package func recordSeconds(_ duration: Int64) {
        recordNanoseconds(duration.nanoseconds(in: 1_000_000_000))
    }
}

extension Int64 {
    /// As many nanoseconds; the longest duration if they are too many.
    fileprivate func nanoseconds(in unit: Int64) -> Int64 {
        let (product, overflows) = multipliedReportingOverflow(by: unit)
        return overflows ? (self < 0 ? .min : .max) : product
    }
}
