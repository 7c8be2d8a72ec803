import Running

extension ServiceRuntime {
    /// The counter of files that weren't in order. A service also looks at its files by itself, so it may rise without a test.
    var reloadFailures: Int {
        let line = metrics.text.split(separator: "\n").first {
            $0.hasPrefix("tls_reload_failures_total{listener=\"app\"} ")
        }
        return line.flatMap { $0.split(separator: " ").last }.flatMap { Int($0) } ?? 0
    }
}
