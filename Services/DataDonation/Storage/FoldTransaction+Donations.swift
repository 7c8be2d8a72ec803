import DonationFormat
import ExposureKeys
import HourKeys
import Postgres

extension InboxTables {
    /// The tables of donations. Rows that are read at a time have one megabyte as a rule, fifty at most.
    static let donations = InboxTables(of: Identifier("donation"), batch: 256)
}

extension FoldStore {
    /// - Parameter database: connected as `vigil_donation_fold`.
    init(_ database: PostgresClient) { self.init(database, .donations) }
}

/// The tables of donated data.
extension FoldTransaction {
    /// Marks an hour as folded, and inserts what was donated in it, each table's rows in the order of their content.
    func insert(_ donated: DonatedRows, in hour: Hour) throws {
        try session.execute("INSERT INTO donation.folded_hour (hour) VALUES (\(hour.number))")
        guard !donated.isEmpty else { return }
        let day = hour.day.number
        try session.execute("SELECT donation.ensure_day(\(day))")
        try session.copyIn(
            into: "donation.user_group (day, federal_state, district, age)",
            columns: Int32.self, Int16.self, Int32.self, Int16.self
        ) { table in
            for group in donated.groups.sortedByContent() {
                try table.row(day, group.federalState, group.district, group.age.rawValue)
            }
        }
        try session.copyIn(
            into: """
                donation.client (
                    day, platform, app_version, system_version, exposure_notifications, configuration_tag)
                """,
            columns: Int32.self, Int16.self, String.self, String.self, Int64?.self, String.self
        ) { table in
            for client in donated.clients.sortedByContent() {
                let system: (version: String, exposureNotifications: Int64?) =
                    switch client.system {
                    case .iOS(let version): (version.text, nil)
                    case .android(let apiLevel, let exposureNotifications): ("\(apiLevel)", exposureNotifications)
                    }
                try table.row(
                    day, client.system.platform.number, client.version.text, system.version,
                    system.exposureNotifications, client.configurationTag)
            }
        }
        try insertWithGroups(donated, day)
        try insertWithClients(donated, day)
    }

    private func insertWithGroups(_ donated: DonatedRows, _ day: Int32) throws {
        try session.copyIn(
            into: """
                donation.exposure_risk (
                    day, federal_state, district, age, level, level_changed, most_recent_day, day_changed, visit_level,
                    visit_level_changed, visit_most_recent_day, visit_day_changed)
                """,
            columns: Int32.self, Int16.self, Int32.self, Int16.self, Int16.self, Bool.self, Int32?.self, Bool.self,
            Int16.self, Bool.self, Int32?.self, Bool.self
        ) { table in
            for row in donated.risks.sortedByContent() {
                let (group, encounters, visits) = (row.group, row.risk.encounters, row.risk.visits)
                try table.row(
                    day, group.federalState, group.district, group.age.rawValue, encounters.level.rawValue,
                    encounters.levelChanged, encounters.mostRecentDay?.number, encounters.dayChanged,
                    visits.level.rawValue, visits.levelChanged, visits.mostRecentDay?.number, visits.dayChanged)
            }
        }
        try session.copyIn(
            into: """
                donation.test_result (
                    day, federal_state, district, age, result, hours_since_registration, level, days_since_level,
                    hours_since_warning, visit_level, visit_days_since_level, visit_hours_since_warning)
                """,
            columns: Int32.self, Int16.self, Int32.self, Int16.self, Int16.self, Int16?.self, Int16.self, Int16?.self,
            Int16?.self, Int16.self, Int16?.self, Int16?.self
        ) { table in
            for row in donated.tests.sortedByContent() {
                let group = row.group
                try table.row(
                    day, group.federalState, group.district, group.age.rawValue, row.result.rawValue,
                    row.hoursSinceRegistration, row.encounters.level.rawValue, row.encounters.days,
                    row.encounters.hoursSinceWarning, row.visits.level.rawValue, row.visits.days,
                    row.visits.hoursSinceWarning)
            }
        }
        try session.copyIn(
            into: """
                donation.key_submission_by_user (
                    day, federal_state, district, age, kind, submitted, submitted_after_symptom_flow,
                    submitted_with_tele_tan, submitted_after_rapid_test, submitted_with_check_ins, hours_since_result,
                    hours_since_registration, days_since_level, hours_since_warning, visit_days_since_level,
                    visit_hours_since_warning)
                """,
            columns: Int32.self, Int16.self, Int32.self, Int16.self, Int16.self, Bool.self, Bool.self, Bool.self,
            Bool.self, Int16.self, Int16?.self, Int16?.self, Int16?.self, Int16?.self, Int16?.self, Int16?.self
        ) { table in
            for row in donated.submissionsByUser.sortedByContent() {
                let group = row.group
                try table.row(
                    day, group.federalState, group.district, group.age.rawValue, row.kind.rawValue, row.submitted,
                    row.afterSymptomFlow, row.withTeleTAN, row.afterRapidTest, row.withCheckIns.rawValue,
                    row.hoursSinceResult, row.hoursSinceRegistration, row.encounters.days,
                    row.encounters.hoursSinceWarning, row.visits.days, row.visits.hoursSinceWarning)
            }
        }
    }

    private func insertWithClients(_ donated: DonatedRows, _ day: Int32) throws {
        try session.copyIn(
            into: """
                donation.exposure_window (
                    day, platform, app_version, occasion, window_day, report_type, infectiousness,
                    calibration_confidence, transmission_risk_level, normalized_time, scans)
                """,
            columns: Int32.self, Int16.self, String.self, Int16.self, Int32.self, Int16.self, Int16.self, Int16.self,
            Int16.self, Double.self, [Int16].self
        ) { table in
            for row in donated.windows.sortedByContent() {
                let window = row.window
                try table.row(
                    day, row.app.platform.number, row.app.version.text, row.occasion.rawValue, window.day.number,
                    Int16(window.reportType.rawValue), window.infectiousness.rawValue, window.calibrationConfidence,
                    window.transmissionRiskLevel, window.normalizedTime,
                    window.scans.flatMap { [$0.typicalAttenuation, $0.minimumAttenuation, $0.seconds] })
            }
        }
        try session.copyIn(
            into: """
                donation.key_submission_by_client (
                    day, platform, app_version, submitted, submitted_in_background, submitted_after_cancel,
                    advanced_consent_given, last_screen)
                """,
            columns: Int32.self, Int16.self, String.self, Bool.self, Bool.self, Bool.self, Bool.self, Int16.self
        ) { table in
            for row in donated.submissionsByClient.sortedByContent() {
                try table.row(
                    day, row.app.platform.number, row.app.version.text, row.submitted, row.inBackground,
                    row.afterCancel, row.advancedConsentGiven, row.lastScreen.rawValue)
            }
        }
    }
}
