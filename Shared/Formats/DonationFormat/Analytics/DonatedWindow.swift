package import ExposureKeys
import SwiftProtobuf

/// An encounter of up to half an hour, as the phone's system measured it (cwa-ppa-server, `PPANewExposureWindow`).
package struct DonatedWindow: Hashable, Sendable {
    /// The day of the encounter.
    package var day: Day
    /// Of the other person's diagnosis.
    package var reportType: ReportType
    /// How infectious the other person was.
    package var infectiousness: Infectiousness
    /// How well the other phone's radio is known: 0 to 3.
    package var calibrationConfidence: Int16
    /// What the phone received, ``mostScans`` at most, at least one.
    package var scans: [Scan]
    /// The level that the app derived: 0 to 8.
    package var transmissionRiskLevel: Int16
    /// Minutes, weighted by attenuation and level.
    package var normalizedTime: Double

    /// In the numbers of the wire.
    package enum Infectiousness: Int16, Hashable, Sendable, CaseIterable {
        /// Not at all.
        case none
        /// As usual.
        case standard
        /// More than usual.
        case high
    }

    /// What the phone received in some seconds.
    package struct Scan: Hashable, Sendable {
        /// In decibels.
        package var typicalAttenuation: Int16
        /// In decibels.
        package var minimumAttenuation: Int16
        /// Since the last scan.
        package var seconds: Int16

        /// A scan from its parts.
        package init(typicalAttenuation: Int16, minimumAttenuation: Int16, seconds: Int16) {
            self.typicalAttenuation = typicalAttenuation
            self.minimumAttenuation = minimumAttenuation
            self.seconds = seconds
        }
    }

    /// More than these aren't of one window (cwa-ppa-server, `PpaDataRequestValidator`).
    package static let mostScans = 15
    /// Beyond it, an app has calculated wrongly: a window has 30 minutes, and levels weigh less than 100.
    private static let mostTime = 10_000.0

    /// A window from its parts.
    package init(
        day: Day, reportType: ReportType, infectiousness: Infectiousness, calibrationConfidence: Int16 = 0,
        scans: [Scan],
        transmissionRiskLevel: Int16, normalizedTime: Double
    ) {
        self.day = day
        self.reportType = reportType
        self.infectiousness = infectiousness
        self.calibrationConfidence = calibrationConfidence
        self.scans = scans
        self.transmissionRiskLevel = transmissionRiskLevel
        self.normalizedTime = normalizedTime
    }
}

extension DonatedWindow {
    init(_ wire: WireExposureWindow) throws(DonationFlaw) {
        let window = wire.window
        guard let day = Day(wireSeconds: window.date),
            let reportType = ReportType(rawValue: window.reportType.rawValue),
            (0...3).contains(window.calibrationConfidence), (1...Self.mostScans).contains(window.scanInstances.count),
            (0...8).contains(wire.transmissionRiskLevel), (0...Self.mostTime).contains(wire.normalizedTime)
        else { throw .data }
        self.init(
            day: day, reportType: reportType, infectiousness: try window.infectiousness.value(),
            calibrationConfidence: Int16(window.calibrationConfidence), scans: window.scanInstances.map(Scan.init),
            transmissionRiskLevel: Int16(wire.transmissionRiskLevel), normalizedTime: wire.normalizedTime)
    }

    var wire: WireExposureWindow {
        .with {
            $0.window = .with {
                $0.date = day.wireSeconds
                $0.reportType = WireReportType(rawValue: reportType.rawValue) ?? .init()
                $0.infectiousness = WireInfectiousness(rawValue: Int(infectiousness.rawValue)) ?? .init()
                $0.calibrationConfidence = Int32(calibrationConfidence)
                $0.scanInstances = scans.map(\.wire)
            }
            $0.transmissionRiskLevel = Int32(transmissionRiskLevel)
            $0.normalizedTime = normalizedTime
        }
    }
}

extension DonatedWindow.Scan {
    init(_ wire: WireExposureWindow.ScanInstance) {
        typicalAttenuation = Int16(clamping: wire.typicalAttenuation)
        minimumAttenuation = Int16(clamping: wire.minAttenuation)
        seconds = Int16(clamping: wire.secondsSinceLastScan)
    }

    var wire: WireExposureWindow.ScanInstance {
        .with {
            $0.typicalAttenuation = Int32(typicalAttenuation)
            $0.minAttenuation = Int32(minimumAttenuation)
            $0.secondsSinceLastScan = Int32(seconds)
        }
    }
}
