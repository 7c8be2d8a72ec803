import FoundationEssentials
import Glibc

/// The kernel's metrics of this process, under the usual names of Prometheus clients.
package enum ProcessMetrics {
    /// Reads `/proc` each time; unreadable values are left out.
    package static var text: String {
        var text = ""
        if let stat = try? String(contentsOfFile: "/proc/self/stat", encoding: .utf8),
            // The program's name, in parentheses, may contain anything.
            let end = stat.lastIndex(of: ")")
        {
            // Numbered as in proc(5), from field 3 on.
            let fields = stat[stat.index(after: end)...].split(separator: " ")
            let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
            if fields.count > 21, let user = Double(fields[11]), let system = Double(fields[12]), ticks > 0 {
                text += line("process_cpu_seconds_total", .counter, (user + system) / ticks)
            }
            if fields.count > 21, let pages = Double(fields[21]) {
                text += line("process_resident_memory_bytes", .gauge, pages * Double(getpagesize()))
            }
        }
        if let descriptors = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
            text += line("process_open_fds", .gauge, Double(descriptors.count))
        }
        return text
    }

    private static func line(_ name: String, _ kind: PrometheusKind, _ value: Double) -> String {
        "# TYPE \(name) \(kind.rawValue)\n" + PrometheusText.line(name, "", PrometheusText.number(value))
    }
}
