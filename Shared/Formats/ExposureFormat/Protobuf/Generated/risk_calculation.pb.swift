// swift-format-ignore-file
// Made by Shared/Formats/generate.py from risk_calculation.proto: change that.
//
// How a phone makes a risk level of what it measured.

import SwiftProtobuf

struct WireRiskCalculationParameters: Message {
    /// Exposure windows that any filter matches count for nothing.
    var minutesAtAttenuationFilters: [WireMinutesAtAttenuationFilter] = []
    var trlFilters: [WireTrlFilter] = []
    var minutesAtAttenuationWeights: [WireMinutesAtAttenuationWeight] = []
    /// Of one exposure window.
    var normalizedTimePerEwtoRiskLevelMapping: [WireNormalizedTimeToRiskLevelMapping] = []
    /// Of all windows of a day together.
    var normalizedTimePerDayToRiskLevelMapping: [WireNormalizedTimeToRiskLevelMapping] = []
    @Presence var trlEncoding: WireTransmissionRiskLevelEncoding
    var hasTrlEncoding: Bool { _trlEncoding.value != nil }
    /// What a risk level is multiplied by where it has no value below: apps before 1.15.
    var transmissionRiskLevelMultiplier: Double = 0
    var transmissionRiskValueMapping: [WireTransmissionRiskValueMapping] = []
    var maxEncounterAgeInDays: UInt32 = 0
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.RiskCalculationParameters", \Self.unknownFields, [
        Field(1, "minutesAtAttenuationFilters", \Self.minutesAtAttenuationFilters),
        Field(2, "trlFilters", \Self.trlFilters),
        Field(3, "minutesAtAttenuationWeights", \Self.minutesAtAttenuationWeights),
        Field(4, "normalizedTimePerEWToRiskLevelMapping", \Self.normalizedTimePerEwtoRiskLevelMapping),
        Field(5, "normalizedTimePerDayToRiskLevelMapping", \Self.normalizedTimePerDayToRiskLevelMapping),
        Field(6, "trlEncoding", \Self._trlEncoding),
        Field(7, "transmissionRiskLevelMultiplier", \Self.transmissionRiskLevelMultiplier),
        Field(8, "transmissionRiskValueMapping", \Self.transmissionRiskValueMapping),
        Field(9, "maxEncounterAgeInDays", \Self.maxEncounterAgeInDays),
    ])
}

struct WireRange: Message {
    var min: Double = 0
    var minExclusive: Bool = false
    var max: Double = 0
    var maxExclusive: Bool = false
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.Range", \Self.unknownFields, [
        Field(1, "min", \Self.min),
        Field(2, "minExclusive", \Self.minExclusive),
        Field(3, "max", \Self.max),
        Field(4, "maxExclusive", \Self.maxExclusive),
    ])
}

struct WireMinutesAtAttenuationFilter: Message {
    /// In dB.
    @Presence var attenuationRange: WireRange
    var hasAttenuationRange: Bool { _attenuationRange.value != nil }
    @Presence var dropIfMinutesInRange: WireRange
    var hasDropIfMinutesInRange: Bool { _dropIfMinutesInRange.value != nil }
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.MinutesAtAttenuationFilter", \Self.unknownFields, [
        Field(1, "attenuationRange", \Self._attenuationRange),
        Field(2, "dropIfMinutesInRange", \Self._dropIfMinutesInRange),
    ])
}

struct WireTrlFilter: Message {
    @Presence var dropIfTrlInRange: WireRange
    var hasDropIfTrlInRange: Bool { _dropIfTrlInRange.value != nil }
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.TrlFilter", \Self.unknownFields, [
        Field(1, "dropIfTrlInRange", \Self._dropIfTrlInRange),
    ])
}

struct WireMinutesAtAttenuationWeight: Message {
    @Presence var attenuationRange: WireRange
    var hasAttenuationRange: Bool { _attenuationRange.value != nil }
    var weight: Double = 0
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.MinutesAtAttenuationWeight", \Self.unknownFields, [
        Field(1, "attenuationRange", \Self._attenuationRange),
        Field(2, "weight", \Self.weight),
    ])
}

struct WireNormalizedTimeToRiskLevelMapping: Message {
    @Presence var normalizedTimeRange: WireRange
    var hasNormalizedTimeRange: Bool { _normalizedTimeRange.value != nil }
    var riskLevel: WireNormalizedTimeToRiskLevelMapping.RiskLevel = .unspecified
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.NormalizedTimeToRiskLevelMapping", \Self.unknownFields, [
        Field(1, "normalizedTimeRange", \Self._normalizedTimeRange),
        Field(2, "riskLevel", \Self.riskLevel),
    ])

    enum RiskLevel: Enum {
        case unspecified
        case low
        case high
        case UNRECOGNIZED(Int)

        init() { self = .unspecified }
        init?(rawValue: Int) {
            switch rawValue {
            case 0: self = .unspecified
            case 1: self = .low
            case 2: self = .high
            default: self = .UNRECOGNIZED(rawValue)
            }
        }
        var rawValue: Int {
            switch self {
            case .unspecified: 0
            case .low: 1
            case .high: 2
            case .UNRECOGNIZED(let number): number
            }
        }
        static let names = [
            0: "UNSPECIFIED",
            1: "LOW",
            2: "HIGH",
        ]
    }
}

/// A key's transmission risk level is the sum of two offsets: that of its report type and that of its infectiousness.
struct WireTransmissionRiskLevelEncoding: Message {
    var infectiousnessOffsetStandard: Int32 = 0
    var infectiousnessOffsetHigh: Int32 = 0
    var reportTypeOffsetRecursive: Int32 = 0
    var reportTypeOffsetSelfReport: Int32 = 0
    var reportTypeOffsetConfirmedClinicalDiagnosis: Int32 = 0
    var reportTypeOffsetConfirmedTest: Int32 = 0
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.TransmissionRiskLevelEncoding", \Self.unknownFields, [
        Field(1, "infectiousnessOffsetStandard", \Self.infectiousnessOffsetStandard),
        Field(2, "infectiousnessOffsetHigh", \Self.infectiousnessOffsetHigh),
        Field(3, "reportTypeOffsetRecursive", \Self.reportTypeOffsetRecursive),
        Field(4, "reportTypeOffsetSelfReport", \Self.reportTypeOffsetSelfReport),
        Field(5, "reportTypeOffsetConfirmedClinicalDiagnosis", \Self.reportTypeOffsetConfirmedClinicalDiagnosis),
        Field(6, "reportTypeOffsetConfirmedTest", \Self.reportTypeOffsetConfirmedTest),
    ])
}

struct WireTransmissionRiskValueMapping: Message {
    var transmissionRiskLevel: Int32 = 0
    var transmissionRiskValue: Double = 0
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.TransmissionRiskValueMapping", \Self.unknownFields, [
        Field(1, "transmissionRiskLevel", \Self.transmissionRiskLevel),
        Field(2, "transmissionRiskValue", \Self.transmissionRiskValue),
    ])
}
