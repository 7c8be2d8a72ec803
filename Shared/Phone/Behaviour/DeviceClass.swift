package import Exposures
import FoundationEssentials

/// A kind of phone: when its system lets an app work in the background, and when it is on a network that costs nothing.
///
/// Android's periodic work runs each 60 minutes, at a moment of its own on each phone, and by night in bundles ("Doze"). iOS decides by
/// itself when an app runs (cwa-app-android, workers; cwa-app-ios, `ENATaskScheduler.swift`). How often it does, and how long Doze
/// lasts, is documented nowhere: it is a parameter of every simulation.
package struct DeviceClass: Codable, Hashable, Sendable {
    /// The system, by its name in the paths of configurations.
    package enum System: String, Codable, Hashable, Sendable, CaseIterable {
        case android
        case ios

        /// The system as exposures know it.
        package var platform: Platform { self == .android ? .android : .iOS }
    }

    /// When a phone is on an unmetered network.
    package enum WiFi: String, Codable, Hashable, Sendable, CaseIterable {
        case always
        /// From 22 to 6 o'clock, local time.
        case nights
        case never
    }

    /// The system.
    package let system: System
    /// When hour packages may be downloaded on Android.
    package let wifi: WiFi
    /// Whether Android bundles background work from 23 to 7 o'clock, local time: it runs every two to six hours.
    package let dozes: Bool
    /// How often iOS lets the app run in 24 hours, on average.
    package let wakeUps: Int
    /// Seconds by which local time is ahead of UTC.
    package let utcOffset: Int32

    /// A phone with Android.
    package static func android(wifi: WiFi, dozes: Bool = true, utcOffset: Int32 = 0) -> DeviceClass {
        DeviceClass(system: .android, wifi: wifi, dozes: dozes, wakeUps: 24, utcOffset: utcOffset)
    }

    /// A phone with iOS, which downloads over every network.
    /// - Parameter wakeUps: at least 1.
    package static func ios(wakeUps: Int, utcOffset: Int32 = 0) -> DeviceClass {
        DeviceClass(system: .ios, wifi: .always, dozes: false, wakeUps: max(1, wakeUps), utcOffset: utcOffset)
    }

    /// Whether hour packages are downloaded: on Android on unmetered networks only.
    func loadsHours(at instant: Date) -> Bool {
        switch wifi {
        case .always: true
        case .nights: !(6..<22).contains(localHour(at: instant))
        case .never: false
        }
    }

    /// Whether background work may begin at any time. If not, it waits for the next run.
    func worksFreely(at instant: Date) -> Bool { system == .android && !isDozing(at: instant) }

    /// When the system lets the app run next.
    /// - Parameter phase: the phone's own moment of the hour, in seconds.
    func nextRun(
        after now: Date, phase: Int32, using random: inout some RandomNumberGenerator
    ) -> Date {
        switch system {
        case .ios: return now + 86_400 / Double(wakeUps) * .random(in: 0.5...1.5, using: &random)
        case .android:
            let next = Self.moment(phase, after: now)
            guard isDozing(at: next) else { return next }
            let bundled = now + .random(in: 7200...21_600, using: &random)
            return isDozing(at: bundled) ? bundled : Self.moment(phase, after: morning(after: now))
        }
    }

    private func isDozing(at instant: Date) -> Bool { dozes && !(7..<23).contains(localHour(at: instant)) }

    private func localHour(at instant: Date) -> Int { Int(localSeconds(at: instant) / 3600) }

    private func localSeconds(at instant: Date) -> Double {
        let seconds = (instant.timeIntervalSince1970 + Double(utcOffset)).truncatingRemainder(dividingBy: 86_400)
        return seconds < 0 ? seconds + 86_400 : seconds
    }

    /// The next 7 o'clock.
    private func morning(after now: Date) -> Date {
        let missing = 7 * 3600 - localSeconds(at: now)
        return now + (missing > 0 ? missing : missing + 86_400)
    }

    /// The next instant of an hour's moment.
    private static func moment(_ phase: Int32, after now: Date) -> Date {
        let seconds = now.timeIntervalSince1970
        let next = (seconds / 3600).rounded(.down) * 3600 + Double(phase)
        return Date(timeIntervalSince1970: next > seconds ? next : next + 3600)
    }
}
