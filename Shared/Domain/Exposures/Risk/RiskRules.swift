package import ExposureKeys

/// How an app judges exposure windows: the health authority's configuration (`RiskCalculationParameters` of the app configuration).
///
/// Where several entries of a list have a number, the first counts.
package struct RiskRules: Hashable, Sendable {
    /// Windows with so many minutes at some attenuations count for nothing.
    package struct AttenuationFilter: Codable, Hashable, Sendable {
        /// In dB.
        package let attenuation: RiskRange
        /// Minutes of all scans within it.
        package let droppedMinutes: RiskRange

        /// A filter.
        package init(attenuation: RiskRange, droppedMinutes: RiskRange) {
            self.attenuation = attenuation
            self.droppedMinutes = droppedMinutes
        }
    }

    /// What a minute at some attenuations counts.
    package struct AttenuationWeight: Codable, Hashable, Sendable {
        /// In dB.
        package let attenuation: RiskRange
        /// Without a unit.
        package let weight: Double

        /// A weight.
        package init(attenuation: RiskRange, weight: Double) {
            self.attenuation = attenuation
            self.weight = weight
        }
    }

    /// How apps get a transmission risk level back from what the operating systems tell them: the sum of two offsets.
    package struct LevelEncoding: Codable, Hashable, Sendable {
        /// By infectiousness.
        package let standard, high: Int
        /// By report type.
        package let recursive, selfReport, clinicalDiagnosis, confirmedTest: Int

        /// An encoding; offsets aren't negative.
        package init(
            standard: Int, high: Int, recursive: Int, selfReport: Int, clinicalDiagnosis: Int, confirmedTest: Int
        ) {
            self.standard = standard
            self.high = high
            self.recursive = recursive
            self.selfReport = selfReport
            self.clinicalDiagnosis = clinicalDiagnosis
            self.confirmedTest = confirmedTest
        }

        /// The level of a window, 1 to 8 by the encoding of Corona-Warn-App. Report types that no window has count as 0.
        func level(_ reportType: ReportType, _ infectiousness: Infectiousness) -> Int {
            let offset =
                switch reportType {
                case .confirmedTest: confirmedTest
                case .confirmedClinicalDiagnosis: clinicalDiagnosis
                case .selfReport: selfReport
                case .recursive: recursive
                case .unknown, .revoked: 0
                }
            return offset + (infectiousness == .high ? high : standard)
        }
    }

    /// Any of them drops a window.
    package let attenuationFilters: [AttenuationFilter]
    /// Windows with such transmission risk levels are dropped.
    package let droppedLevels: [RiskRange]
    /// Attenuations that have none count nothing.
    package let attenuationWeights: [AttenuationWeight]
    /// For a window; one without a level is dropped.
    package let perWindow: [RiskGrade]
    /// For all windows of a day; a day without a level is none of risk.
    package let perDay: [RiskGrade]
    /// From report type and infectiousness to a level.
    package let levelEncoding: LevelEncoding
    /// What a weighted minute counts, by transmission risk level. A level that isn't in it, or outside 1 to 8, counts nothing.
    package let riskValues: [Int: Double]
    /// Windows of more days ago don't count.
    package let maximumDays: Int

    // The same as tables, from 0 on: a busy day has a thousand scans.
    private let weights: [Double]
    private let values: [Double]

    /// Rules from their parts.
    package init(
        attenuationFilters: [AttenuationFilter], droppedLevels: [RiskRange], attenuationWeights: [AttenuationWeight],
        perWindow: [RiskGrade], perDay: [RiskGrade], levelEncoding: LevelEncoding, riskValues: [Int: Double],
        maximumDays: Int
    ) {
        self.attenuationFilters = attenuationFilters
        self.droppedLevels = droppedLevels
        self.attenuationWeights = attenuationWeights
        self.perWindow = perWindow
        self.perDay = perDay
        self.levelEncoding = levelEncoding
        self.riskValues = riskValues
        self.maximumDays = maximumDays
        weights = (0...255).map { attenuation in
            attenuationWeights.first { $0.attenuation.contains(Double(attenuation)) }?.weight ?? 0
        }
        values = TransmissionRiskLevel.range.map { riskValues[$0] ?? 0 }
    }

    /// What an app is shipped with, and uses until it has fetched a configuration: Corona-Warn-App's last one, as in `deploy/static`.
    package static let shipped = RiskRules(
        attenuationFilters: [], droppedLevels: [],
        attenuationWeights: [(0.0...63.0, 0.8), (63...73, 1), (73...79, 0.1)].map {
            AttenuationWeight(attenuation: RiskRange($0, excludesMaximum: true), weight: $1)
        },
        perWindow: [
            RiskGrade(time: RiskRange(0...9, excludesMaximum: true), level: .low),
            RiskGrade(time: RiskRange(9...9999), level: .high),
        ],
        perDay: [
            RiskGrade(time: RiskRange(5...9, excludesMaximum: true), level: .low),
            RiskGrade(time: RiskRange(9...99_999), level: .high),
        ],
        levelEncoding: LevelEncoding(
            standard: 1, high: 2, recursive: 0, selfReport: 2, clinicalDiagnosis: 4, confirmedTest: 6),
        riskValues: [1: 0, 2: 0, 3: 0.6, 4: 0.8, 5: 1, 6: 1.2, 7: 1.4, 8: 1.6], maximumDays: 10)

    /// What a minute at an attenuation of 0 to 255 dB counts; no phone measures others.
    func weight(of attenuation: Int) -> Double { weights.indices.contains(attenuation) ? weights[attenuation] : 0 }

    /// What a weighted minute counts at a transmission risk level.
    func value(of level: Int) -> Double {
        let place = level - TransmissionRiskLevel.range.lowerBound
        return values.indices.contains(place) ? values[place] : 0
    }
}

extension RiskRules: Codable {
    /// The tables follow from the rest.
    private enum CodingKeys: String, CodingKey {
        case attenuationFilters, droppedLevels, attenuationWeights, perWindow, perDay, levelEncoding, riskValues
        case maximumDays
    }

    package init(from decoder: any Decoder) throws {
        let rules = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            attenuationFilters: try rules.decode([AttenuationFilter].self, forKey: .attenuationFilters),
            droppedLevels: try rules.decode([RiskRange].self, forKey: .droppedLevels),
            attenuationWeights: try rules.decode([AttenuationWeight].self, forKey: .attenuationWeights),
            perWindow: try rules.decode([RiskGrade].self, forKey: .perWindow),
            perDay: try rules.decode([RiskGrade].self, forKey: .perDay),
            levelEncoding: try rules.decode(LevelEncoding.self, forKey: .levelEncoding),
            riskValues: try rules.decode([Int: Double].self, forKey: .riskValues),
            maximumDays: try rules.decode(Int.self, forKey: .maximumDays))
    }
}
