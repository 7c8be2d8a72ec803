import DevelopmentSuite
import Foundation
import Glibc
import OutsideCalls
import Running
import Vigil

/// Watches the suite's processes from outside: whether an hourly job is done, and what the processes cost.
struct SuiteWatch: Sendable {
    private let suite: SuiteRun.Stage

    /// How long a job may take.
    private static let patience = Duration.seconds(120)

    /// - Parameter suite: is running.
    init(_ suite: SuiteRun.Stage) { self.suite = suite }

    /// Waits until a job of a service has succeeded at or after an instant of the shared clock.
    func wait(for job: String, of service: String, since instant: Date) async throws {
        guard let plan = suite.plan.services.first(where: { $0.name == service }) else {
            throw CommandFailure("No service is called \(service).")
        }
        let url = "\(suite.plan.adminURL(of: plan))/metrics"
        let deadline = ContinuousClock.now + Self.patience
        while ContinuousClock.now < deadline {
            if let last = try await lastSuccess(of: job, at: url), last >= instant.timeIntervalSince1970 { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw CommandFailure("The job \(job) of \(service) didn't succeed: see \(suite.plan.folder.log(service)).")
    }

    private func lastSuccess(of job: String, at url: String) async throws -> Double? {
        // A killed service answers again once it has been restarted.
        let request = OutsideRequest(url)
        let calls = try OutsideCalls(reach: .direct)
        guard let answer = try? await calls.send(request, within: .seconds(5), limit: 1 << 20) else { return nil }
        let start = "job_last_success_seconds{job=\"\(job)\"} "
        let line = String(decoding: answer.body, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix(start) }
        return line.flatMap { Double($0.dropFirst(start.count)) }
    }

    /// The CPU seconds of each process so far, with those of its children.
    func processorSeconds() async -> [String: Double] {
        var seconds: [String: Double] = [:]
        for (name, id) in await suite.supervisor.processes {
            seconds[name, default: 0] += Self.processorSeconds(of: id)
        }
        return seconds
    }

    /// The most memory that each process has had, in MiB (proc(5), `VmHWM`); PostgreSQL's is that of its first process.
    func peakMemory() async -> [String: Int] {
        var memory: [String: Int] = [:]
        for (name, id) in await suite.supervisor.processes {
            let status = (try? String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8)) ?? ""
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
            memory[name] = line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 / 1024 }
        }
        return memory
    }

    /// From `/proc`: user and system time of a process, of its children that have ended, and of those that run.
    private static func processorSeconds(of id: pid_t) -> Double {
        let own = statistics(of: id)
        let running = FaultInjection.children(of: id).map { statistics(of: $0).prefix(2).reduce(0, +) }
        return (own.reduce(0, +) + running.reduce(0, +)) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// utime, stime, cutime and cstime in clock ticks (proc(5)).
    private static func statistics(of id: pid_t) -> [Double] {
        guard let text = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8),
            // The name may contain spaces and parentheses; the fields begin behind its last one.
            let end = text.lastIndex(of: ")")
        else { return [] }
        let fields = text[text.index(after: end)...].split(separator: " ")
        return fields.count > 14 ? fields[11...14].compactMap { Double($0) } : []
    }
}
