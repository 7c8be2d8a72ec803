/// The signals that reach the process, as they come.
///
/// From the making of a sequence on, its signals no longer end the process, also after the sequence has ended.
package struct UnixSignalsSequence: AsyncSequence, Sendable {
    private let signals: AsyncStream<UnixSignal>

    /// A sequence of some signals. Up to eight that nobody has asked for yet wait; more are dropped.
    package init(trapping signals: UnixSignal...) async {
        self.init(trapping: signals)
    }

    /// A sequence of some signals.
    package init(trapping signals: [UnixSignal]) {
        let traps = SignalTrap.shared
        let (stream, continuation) = AsyncStream<UnixSignal>.makeStream(bufferingPolicy: .bufferingOldest(8))
        let listener = traps.add(Set(signals)) { _ = continuation.yield($0) }
        continuation.onTermination = { _ in traps.remove(listener) }
        self.signals = stream
    }

    package func makeAsyncIterator() -> AsyncStream<UnixSignal>.Iterator {
        signals.makeAsyncIterator()
    }
}
