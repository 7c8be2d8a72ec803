/// Makes what metrics record into. Asked twice for one label and dimensions, it gives the same series.
package protocol MetricsFactory: AnyObject, Sendable {
    /// What a ``Counter`` counts into.
    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler

    /// What a ``FloatingPointCounter`` counts into.
    func makeFloatingPointCounter(label: String, dimensions: [(String, String)]) -> any FloatingPointCounterHandler

    /// What a ``Meter`` sets.
    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler

    /// What a ``Recorder`` or a ``Gauge`` records into.
    ///
    /// - Parameter aggregate: whether all values count, or the last one alone.
    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler

    /// What a ``Timer`` records into.
    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler
}

/// Counts events.
package protocol CounterHandler: AnyObject, Sendable {
    func increment(by amount: Int64)
}

/// Adds up fractional amounts.
package protocol FloatingPointCounterHandler: AnyObject, Sendable {
    func increment(by amount: Double)
}

/// Holds a value that goes up and down.
package protocol MeterHandler: AnyObject, Sendable {
    func set(_ value: Double)
}

/// Takes values one after the other.
package protocol RecorderHandler: AnyObject, Sendable {
    func record(_ value: Int64)
    func record(_ value: Double)
}

/// Takes durations.
package protocol TimerHandler: AnyObject, Sendable {
    func recordNanoseconds(_ duration: Int64)
}
