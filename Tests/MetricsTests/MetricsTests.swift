import Metrics
import Synchronization
import Testing

struct MetricsTests {
    /// Keeps what is recorded as text.
    private final class Lines: MetricsFactory, Sendable {
        private let lines = Mutex<[String]>([])

        var all: [String] { lines.withLock { $0 } }

        private final class Handler: CounterHandler, FloatingPointCounterHandler, MeterHandler, RecorderHandler,
            TimerHandler
        {
            let write: @Sendable (String) -> Void

            init(_ write: @escaping @Sendable (String) -> Void) { self.write = write }

            func increment(by amount: Int64) { write("+\(amount)") }
            func increment(by amount: Double) { write("+\(amount)") }
            func set(_ value: Double) { write("\(value)") }
            func record(_ value: Int64) { write("\(value)") }
            func record(_ value: Double) { write("\(value)") }
            func recordNanoseconds(_ duration: Int64) { write("\(duration) ns") }
        }

        private func handler(_ kind: String, _ label: String, _ dimensions: [(String, String)]) -> Handler {
            let name = "\(kind) \(label)" + dimensions.map { " \($0)=\($1)" }.joined()
            return Handler { text in self.lines.withLock { $0.append("\(name) \(text)") } }
        }

        func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
            handler("counter", label, dimensions)
        }

        func makeFloatingPointCounter(
            label: String, dimensions: [(String, String)]
        ) -> any FloatingPointCounterHandler {
            handler("sum", label, dimensions)
        }

        func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
            handler("meter", label, dimensions)
        }

        func makeRecorder(
            label: String, dimensions: [(String, String)], aggregate: Bool
        ) -> any RecorderHandler {
            handler(aggregate ? "recorder" : "gauge", label, dimensions)
        }

        func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
            handler("timer", label, dimensions)
        }
    }

    @Test("each kind of metric reaches its handler, with label and dimensions")
    func kinds() {
        let lines = Lines()
        Counter(label: "a", dimensions: [("x", "1"), ("y", "2")], factory: lines).increment()
        Counter(label: "a", factory: lines).increment(by: UInt64.max)
        FloatingPointCounter(label: "b", factory: lines).increment(by: 0.5)
        Meter(label: "c", factory: lines).set(7)
        Recorder(label: "d", factory: lines).record(8)
        Gauge(label: "e", factory: lines).record(-1.5)
        Gauge(label: "e", factory: lines).record(9)
        let timer = Timer(label: "f", factory: lines)
        timer.recordNanoseconds(1)
        timer.recordMilliseconds(2)
        timer.recordSeconds(3)
        timer.recordSeconds(.max)
        #expect(
            lines.all == [
                "counter a x=1 y=2 +1", "counter a +9223372036854775807", "sum b +0.5", "meter c 7.0", "recorder d 8",
                "gauge e -1.5", "gauge e 9", "timer f 1 ns", "timer f 2000000 ns", "timer f 3000000000 ns",
                "timer f 9223372036854775807 ns",
            ])
    }

    @Test("a task's factory is that of its child tasks, and of nothing outside")
    func scoped() async {
        let (outer, inner) = (Lines(), Lines())
        await withMetricsFactory(outer) {
            await withMetricsFactory(inner) {
                async let child: Void = Counter(label: "a").increment()
                await child
            }
            Counter(label: "b").increment()
        }
        Counter(label: "c").increment()
        #expect(inner.all == ["counter a +1"])
        #expect(outer.all == ["counter b +1"])
    }
}
