import ExposureKeys
import FoundationEssentials
import Logging
import ServiceKit
import ServiceLifecycle

/// Publishes at start, then at the configured minute of every hour (`run.minute`, default 5: the fold is done by then).
struct PublishJob: Service {
    let publisher: Publisher
    let runtime: ServiceRuntime

    /// Seconds until a failed run is tried again, plus up to as much again.
    private static let retryDelay: Double = 60

    func run() async throws {
        let minute = try runtime.configuration.int("run.minute", default: 5, in: 0...59)
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                let now = runtime.clock.now
                let pause =
                    await publishOnce(at: now)
                    ? Self.nextRun(after: now, minute: minute).timeIntervalSince(now)
                    : Self.retryDelay * Double.random(in: 1...2)
                try? await Task.sleep(for: .seconds(max(1, pause)))
            }
        }
    }

    /// The next instant after `now` at which a run is due.
    static func nextRun(after now: Date, minute: Int) -> Date {
        let inThisHour = Hour(containing: now).start.addingTimeInterval(Double(minute) * 60)
        return inThisHour > now ? inThisHour : inThisHour.addingTimeInterval(3600)
    }

    private func publishOnce(at now: Date) async -> Bool {
        do {
            let report = try await publisher.publish(asOf: now)
            runtime.logger.info("Published", metadata: report.metadata)
            return true
        } catch is CancellationError {
            return false
        } catch {
            runtime.logger.error("Publishing failed and is repeated", metadata: ["error": "\(type(of: error))"])
            return false
        }
    }
}
