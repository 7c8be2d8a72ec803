import CountryModel
import ExposureKeys
import Exposures
import Phone

/// What all phones of a country share: the way to the services, and the published files.
struct CitizenServices: Sendable {
    let apps: AppClient
    let packages: PackageClient
    /// The way to the metadata proxy, on which somebody watches.
    let lines: TappedLines
    /// Fetches what can be shared.
    let downloads: SharedDownloads
    /// Which dummy requests the apps send.
    let dummies: DummyTraffic

    /// A new installation's way to the services.
    func executor(_ form: AppExecutor.UploadForm) -> AppExecutor {
        AppExecutor(apps: apps, packages: packages, instance: AppInstanceToken(), form: form)
    }
}

extension PhoneClass {
    /// The same for the app.
    var deviceClass: DeviceClass {
        switch system {
        case .android:
            switch network {
            case .wiFiAllDay: .android(wifi: .always)
            case .wiFiByNight: .android(wifi: .nights)
            case .metered: .android(wifi: .never)
            }
        case .iOS: .ios(wakeUps: 8)
        }
    }

    /// In the report's words.
    var kind: String {
        switch (system, network) {
        case (.android, .wiFiAllDay): "Android, Wi-Fi all day"
        case (.android, .wiFiByNight): "Android, Wi-Fi by night"
        case (.android, .metered): "Android, metered"
        case (.iOS, _): "iOS"
        }
    }

    /// Whose rounding the risk follows.
    var platform: Platform { system == .android ? .android : .iOS }

    /// What it says of itself in each broadcast.
    var metadata: BroadcastMetadata {
        BroadcastMetadata(
            transmitPower: transmitPower,
            calibrationConfidence: CalibrationConfidence(rawValue: calibrationConfidence) ?? .low)
    }
}

extension Sharing {
    /// What the app is told of symptoms.
    var onset: OnsetOfSymptoms {
        switch symptoms {
        case .unsaid: .unsaid
        case .none: .none
        case .unknownDay: .unknownDay
        case .day(let day): .day(day)
        case .lastWeek: .lastWeek
        case .weekBefore: .weekBefore
        case .earlier: .earlier
        }
    }
}
