package import FoundationEssentials
package import Metrics
import Synchronization

/// Collects metrics and writes them as Prometheus text (exposition format 0.0.4).
///
/// Timers become histograms in seconds, recorders histograms of plain numbers, meters and gauges become gauges. Labels
/// come from closed sets only (route template, status, outcome), so that no label can hold anything personal.
package final class PrometheusMetrics: MetricsFactory {
    private let families = Mutex<[String: Family]>([:])
    private let shown = Mutex(Shown())

    /// The metrics that a single request changes although the status of its answer doesn't tell: a real request uses the
    /// database once more than a dummy request.
    ///
    /// They are published hourly: within an hour, every scrape shows their values at the first scrape.
    private static let hourly: Set<String> = ["db_pool_wait_seconds"]

    /// The families of ``hourly`` as they were at the first scrape of an hour.
    private struct Shown {
        var hour: Int?
        var families: [String: String] = [:]
    }

    /// Creates an empty collection. A series appears when it is created.
    package init() {}

    /// Everything collected so far; families and series are in alphabetical order.
    package var text: String { text { _, live in live } }

    /// The same text, except for what a single request would reveal about itself.
    package func published(at now: Date) -> String {
        let hour = Int((now.timeIntervalSince1970 / 3600).rounded(.down))
        return shown.withLock { shown in
            if shown.hour != hour { shown = Shown(hour: hour) }
            return text { name, live in
                guard Self.hourly.contains(name) else { return live }
                let text = shown.families[name] ?? live
                shown.families[name] = text
                return text
            }
        }
    }

    /// - Parameter shown: returns the text to show for a family, given its name and its text.
    private func text(_ shown: (String, String) -> String) -> String {
        let families = families.withLock { $0 }
        return families.sorted(by: { $0.key < $1.key }).map { name, family in
            var text = "# TYPE \(name) \(family.kind.rawValue)\n"
            for (labels, series) in family.series.sorted(by: { $0.key < $1.key }) {
                series.write(name: name, labels: labels, to: &text)
            }
            return shown(name, text)
        }.joined()
    }

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(label, dimensions, .counter) { PrometheusCounter() }
    }

    package func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        series(label, dimensions, .counter) { PrometheusSum() }
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(label, dimensions, .gauge) { PrometheusGauge() }
    }

    package func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        if aggregate {
            series(label, dimensions, .histogram) { PrometheusHistogram(bounds: PrometheusHistogram.quantities) }
        } else {
            series(label, dimensions, .gauge) { PrometheusGauge() }
        }
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(label, dimensions, .histogram) { PrometheusHistogram(bounds: PrometheusHistogram.seconds) }
    }

    /// The series of a name and labels; a second call returns the same one. It is kept for the life of the process,
    /// because it is one line of a closed set.
    ///
    /// If the name is already taken by another kind of metric, the series isn't exported.
    private func series<S: PrometheusSeries>(
        _ label: String, _ dimensions: [(String, String)], _ kind: PrometheusKind, _ make: () -> S
    ) -> S {
        let name = PrometheusText.name(label)
        let labels = PrometheusText.labels(dimensions)
        return families.withLock { families in
            var family = families[name] ?? Family(kind: kind)
            guard family.kind == kind else { return make() }
            if let known = family.series[labels] {
                return known as? S ?? make()
            }
            let made = make()
            family.series[labels] = made
            families[name] = family
            return made
        }
    }

    private struct Family {
        let kind: PrometheusKind
        var series: [String: any PrometheusSeries] = [:]
    }
}

enum PrometheusKind: String {
    case counter
    case gauge
    case histogram
}

/// One line, or for a histogram one block, of the exposition.
protocol PrometheusSeries: AnyObject, Sendable {
    /// - Parameter labels: the text between the braces.
    func write(name: String, labels: String, to text: inout String)
}

/// The notation of names, labels and numbers in the exposition format.
package enum PrometheusText {
    static func name(_ label: String) -> String {
        var name = ""
        for scalar in label.unicodeScalars {
            switch scalar {
            case "a"..."z", "A"..."Z", "_", ":": name.unicodeScalars.append(scalar)
            case "0"..."9": name += name.isEmpty ? "_\(scalar)" : String(scalar)
            default: name += "_"
            }
        }
        return name
    }

    static func labels(_ dimensions: [(String, String)]) -> String {
        dimensions.map { dimension in
            var value = ""
            for character in dimension.1 {
                switch character {
                case "\\": value += "\\\\"
                case "\"": value += "\\\""
                case "\n": value += "\\n"
                default: value.append(character)
                }
            }
            return "\(name(dimension.0))=\"\(value)\""
        }.joined(separator: ",")
    }

    /// One sample.
    ///
    /// - Parameter labels: the text between the braces; empty for none.
    package static func line(_ name: String, _ labels: String, _ value: String) -> String {
        labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(labels)} \(value)\n"
    }

    /// A number in its shortest form: `3`, `0.25`.
    static func number(_ value: Double) -> String {
        guard value.isFinite else { return value.isNaN ? "NaN" : value < 0 ? "-Inf" : "+Inf" }
        return Int(exactly: value).map(String.init) ?? value.description
    }
}
