import FoundationEssentials
import Glibc

/// What a benchmark prints.
struct Measurement: Codable {
    /// How often the measured operation was done.
    var operations: Int
    /// Wall-clock time.
    var seconds: Double
    /// Processor time of this process, system calls included.
    var cpuSeconds: Double

    private enum CodingKeys: String, CodingKey {
        case operations, seconds
        case cpuSeconds = "cpu_seconds"
    }

    /// Measures what `body` does; it returns the number of operations.
    static func of(_ body: () async throws -> Int) async throws -> Measurement {
        let begin = (wall: ContinuousClock.now, processor: processorSeconds())
        let operations = try await body()
        let seconds = (ContinuousClock.now - begin.wall) / .seconds(1)
        return Measurement(
            operations: operations, seconds: seconds, cpuSeconds: processorSeconds() - begin.processor)
    }

    /// Prints one line of JSON.
    func report() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        print(String(decoding: try encoder.encode(self), as: UTF8.self))
    }

    private static func processorSeconds() -> Double {
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }
}
