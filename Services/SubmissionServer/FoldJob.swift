import ExposureKeys
import FoundationEssentials
import Logging
import ServiceKit
import ServiceLifecycle

/// Folds at start and after every hour.
struct FoldJob: Service {
    let fold: Fold
    let runtime: ServiceRuntime

    /// Seconds after the hour. An upload that began in the old hour is stored by then, or joins the new one.
    private static let delay: TimeInterval = 2
    /// Seconds until a failed fold is tried again, plus up to as much again.
    private static let retryDelay: Double = 30

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                let now = runtime.clock.now
                let nextHour = Hour(containing: now).end.addingTimeInterval(Self.delay)
                let pause =
                    await foldOnce(at: now)
                    ? nextHour.timeIntervalSince(now) : Self.retryDelay * Double.random(in: 1...2)
                try? await Task.sleep(for: .seconds(max(1, pause)))
            }
        }
    }

    private func foldOnce(at now: Date) async -> Bool {
        do {
            let report = try await fold.run(asOf: now)
            runtime.logger.info("Folded", metadata: report.metadata)
            return true
        } catch is CancellationError {
            return false
        } catch let problem as HourKeyProblem {
            runtime.logger.error("The fold stopped", metadata: ["reason": "\(problem)"])
            return false
        } catch {
            runtime.logger.warning("The fold is postponed", metadata: ["error": "\(type(of: error))"])
            return false
        }
    }
}
