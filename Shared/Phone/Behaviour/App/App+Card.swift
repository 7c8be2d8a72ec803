import ExposureFormat
package import ExposureKeys
package import Exposures
package import FoundationEssentials

extension App {
    /// What has to be right before the app says anything about risk, as far as it knows.
    package var preconditions: RiskPreconditions {
        RiskPreconditions(
            clockOffset: clockOffset, isTracing: push.areEncountersOn, lastPackage: downloads.latestEnd)
    }

    /// What the app shows its owner.
    /// - Parameters:
    ///   - exposures: nil if they couldn't be judged.
    ///   - venues: nil if visits couldn't be judged.
    package func card(exposures: RiskLevel?, venues: RiskLevel?, at now: Date) -> RiskCard {
        RiskCard(exposures: exposures, venues: venues, preconditions, at: now)
    }

    /// What the app shows its owner of exposure windows and of the visits in its diary, by the rules of its configuration.
    /// - Parameter windows: what the operating system tells by ``rules``.
    package func card(of windows: [ExposureWindow], at now: Date) -> RiskCard {
        let exposures = ExposureRisk(windows, by: rules.risk, at: now, on: setup.device.system.platform)
        return card(exposures: exposures.level, venues: VenueRisk(diary, by: rules.venues, at: now).level, at: now)
    }
}
