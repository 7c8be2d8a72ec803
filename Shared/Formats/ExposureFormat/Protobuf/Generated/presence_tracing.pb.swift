// swift-format-ignore-file
// Made by Shared/Formats/generate.py from presence_tracing.proto: change that.
//
// How a phone judges visits to venues, and what it reports of them.

import SwiftProtobuf

struct WirePresenceTracingParameters: Message {
    @Presence var riskCalculationParameters: WirePresenceTracingRiskCalculationParameters
    var hasRiskCalculationParameters: Bool { _riskCalculationParameters.value != nil }
    @Presence var submissionParameters: WirePresenceTracingSubmissionParameters
    var hasSubmissionParameters: Bool { _submissionParameters.value != nil }
    var qrCodeErrorCorrectionLevel: WirePresenceTracingParameters.QRCodeErrorCorrectionLevel = .medium
    var revokedTraceLocationVersions: [UInt32] = []
    @Presence var plausibleDeniabilityParameters: WirePresenceTracingPlausibleDeniabilityParameters
    var hasPlausibleDeniabilityParameters: Bool { _plausibleDeniabilityParameters.value != nil }
    var qrCodeDescriptors: [WirePresenceTracingQRCodeDescriptor] = []
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.PresenceTracingParameters", \Self.unknownFields, [
        Field(1, "riskCalculationParameters", \Self._riskCalculationParameters),
        Field(2, "submissionParameters", \Self._submissionParameters),
        Field(3, "qrCodeErrorCorrectionLevel", \Self.qrCodeErrorCorrectionLevel),
        Field(4, "revokedTraceLocationVersions", \Self.revokedTraceLocationVersions),
        Field(5, "plausibleDeniabilityParameters", \Self._plausibleDeniabilityParameters),
        Field(6, "qrCodeDescriptors", \Self.qrCodeDescriptors),
    ])

    /// "Quantile" is the contract's word for the level that QR codes call quartile.
    enum QRCodeErrorCorrectionLevel: Enum {
        case medium
        case low
        case quantile
        case high
        case UNRECOGNIZED(Int)

        init() { self = .medium }
        init?(rawValue: Int) {
            switch rawValue {
            case 0: self = .medium
            case 1: self = .low
            case 2: self = .quantile
            case 3: self = .high
            default: self = .UNRECOGNIZED(rawValue)
            }
        }
        var rawValue: Int {
            switch self {
            case .medium: 0
            case .low: 1
            case .quantile: 2
            case .high: 3
            case .UNRECOGNIZED(let number): number
            }
        }
        static let names = [
            0: "MEDIUM",
            1: "LOW",
            2: "QUANTILE",
            3: "HIGH",
        ]
    }
}

struct WirePresenceTracingRiskCalculationParameters: Message {
    var transmissionRiskValueMapping: [WireTransmissionRiskValueMapping] = []
    var normalizedTimePerCheckInToRiskLevelMapping: [WireNormalizedTimeToRiskLevelMapping] = []
    var normalizedTimePerDayToRiskLevelMapping: [WireNormalizedTimeToRiskLevelMapping] = []
    var maxCheckInAgeInDays: UInt32 = 0
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.PresenceTracingRiskCalculationParameters", \Self.unknownFields, [
        Field(1, "transmissionRiskValueMapping", \Self.transmissionRiskValueMapping),
        Field(2, "normalizedTimePerCheckInToRiskLevelMapping", \Self.normalizedTimePerCheckInToRiskLevelMapping),
        Field(3, "normalizedTimePerDayToRiskLevelMapping", \Self.normalizedTimePerDayToRiskLevelMapping),
        Field(4, "maxCheckInAgeInDays", \Self.maxCheckInAgeInDays),
    ])
}

struct WirePresenceTracingSubmissionParameters: Message {
    var durationFilters: [WirePresenceTracingSubmissionParameters.DurationFilter] = []
    var aerosoleDecayLinearFunctions: [WirePresenceTracingSubmissionParameters.AerosoleDecayFunctionLinear] = []
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.PresenceTracingSubmissionParameters", \Self.unknownFields, [
        Field(1, "durationFilters", \Self.durationFilters),
        Field(2, "aerosoleDecayLinearFunctions", \Self.aerosoleDecayLinearFunctions),
    ])

    struct DurationFilter: Message {
        @Presence var dropIfMinutesInRange: WireRange
        var hasDropIfMinutesInRange: Bool { _dropIfMinutesInRange.value != nil }
        var unknownFields = UnknownStorage()

        static let fields = FieldTable("vigil.exposure.PresenceTracingSubmissionParameters.DurationFilter", \Self.unknownFields, [
            Field(1, "dropIfMinutesInRange", \Self._dropIfMinutesInRange),
        ])
    }

    /// By how long a report reaches beyond the visit: slope × minutes + intercept. The misspelling is the contract's.
    struct AerosoleDecayFunctionLinear: Message {
        @Presence var minutesRange: WireRange
        var hasMinutesRange: Bool { _minutesRange.value != nil }
        var slope: Double = 0
        var intercept: Double = 0
        var unknownFields = UnknownStorage()

        static let fields = FieldTable("vigil.exposure.PresenceTracingSubmissionParameters.AerosoleDecayFunctionLinear", \Self.unknownFields, [
            Field(1, "minutesRange", \Self._minutesRange),
            Field(2, "slope", \Self.slope),
            Field(3, "intercept", \Self.intercept),
        ])
    }
}

/// Whether uploads without visits look as if they had some.
struct WirePresenceTracingPlausibleDeniabilityParameters: Message {
    var checkInSizesInBytes: [UInt32] = []
    var probabilityToFakeCheckInsIfNoCheckIns: Double = 0
    var probabilityToFakeCheckInsIfSomeCheckIns: Double = 0
    var numberOfFakeCheckInsFunctionParameters: [WirePresenceTracingPlausibleDeniabilityParameters.NumberOfFakeCheckInsFunctionParameters] = []
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.PresenceTracingPlausibleDeniabilityParameters", \Self.unknownFields, [
        Field(1, "checkInSizesInBytes", \Self.checkInSizesInBytes),
        Field(2, "probabilityToFakeCheckInsIfNoCheckIns", \Self.probabilityToFakeCheckInsIfNoCheckIns),
        Field(3, "probabilityToFakeCheckInsIfSomeCheckIns", \Self.probabilityToFakeCheckInsIfSomeCheckIns),
        Field(4, "numberOfFakeCheckInsFunctionParameters", \Self.numberOfFakeCheckInsFunctionParameters),
    ])

    /// A random number in the range picks the function, the other fields are its coefficients.
    struct NumberOfFakeCheckInsFunctionParameters: Message {
        @Presence var randomNumberRange: WireRange
        var hasRandomNumberRange: Bool { _randomNumberRange.value != nil }
        var p: Double = 0
        var q: Double = 0
        var r: Double = 0
        var s: Double = 0
        var t: Double = 0
        var u: Double = 0
        var a: Double = 0
        var b: Double = 0
        var c: Double = 0
        var unknownFields = UnknownStorage()

        static let fields = FieldTable("vigil.exposure.PresenceTracingPlausibleDeniabilityParameters.NumberOfFakeCheckInsFunctionParameters", \Self.unknownFields, [
            Field(1, "randomNumberRange", \Self._randomNumberRange),
            Field(2, "p", \Self.p),
            Field(3, "q", \Self.q),
            Field(4, "r", \Self.r),
            Field(5, "s", \Self.s),
            Field(6, "t", \Self.t),
            Field(7, "u", \Self.u),
            Field(8, "a", \Self.a),
            Field(9, "b", \Self.b),
            Field(10, "c", \Self.c),
        ])
    }
}

/// How a venue's QR code is recognised.
struct WirePresenceTracingQRCodeDescriptor: Message {
    var regexPattern: String = ""
    /// Groups of the pattern, the first of which is 0.
    var versionGroupIndex: UInt32 = 0
    var encodedPayloadGroupIndex: UInt32 = 0
    var payloadEncoding: WirePresenceTracingQRCodeDescriptor.PayloadEncoding = .base32
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.PresenceTracingQRCodeDescriptor", \Self.unknownFields, [
        Field(1, "regexPattern", \Self.regexPattern),
        Field(2, "versionGroupIndex", \Self.versionGroupIndex),
        Field(3, "encodedPayloadGroupIndex", \Self.encodedPayloadGroupIndex),
        Field(4, "payloadEncoding", \Self.payloadEncoding),
    ])

    enum PayloadEncoding: Enum {
        case base32
        case base64
        case UNRECOGNIZED(Int)

        init() { self = .base32 }
        init?(rawValue: Int) {
            switch rawValue {
            case 0: self = .base32
            case 1: self = .base64
            default: self = .UNRECOGNIZED(rawValue)
            }
        }
        var rawValue: Int {
            switch self {
            case .base32: 0
            case .base64: 1
            case .UNRECOGNIZED(let number): number
            }
        }
        static let names = [
            0: "BASE32",
            1: "BASE64",
        ]
    }
}
