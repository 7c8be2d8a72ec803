// swift-format-ignore-file
// Made by Shared/Formats/generate.py from analytics_data.proto: change that.
//
// What a person gives for analysis, once a day at most.
//
// Field numbers and values are those of cwa-ppa-server (common/protocols, internal/ppdd/ppa_data.proto): never renumber. Names in comments are
// that file's where they differ. Risks are of encounters, and with "checkIn" of visits to a venue ("pt", presence tracing).

import FoundationEssentials
import SwiftProtobuf

enum WireRiskLevel: Enum {
    case riskUnknown
    case riskNone
    case riskLow
    case riskHigh
    case UNRECOGNIZED(Int)

    init() { self = .riskUnknown }
    init?(rawValue: Int) {
        switch rawValue {
        case 0: self = .riskUnknown
        case 1: self = .riskNone
        case 2: self = .riskLow
        case 3: self = .riskHigh
        default: self = .UNRECOGNIZED(rawValue)
        }
    }
    var rawValue: Int {
        switch self {
        case .riskUnknown: 0
        case .riskNone: 1
        case .riskLow: 2
        case .riskHigh: 3
        case .UNRECOGNIZED(let number): number
        }
    }
    static let names = [
        0: "RISK_UNKNOWN",
        1: "RISK_NONE",
        2: "RISK_LOW",
        3: "RISK_HIGH",
    ]
}

enum WireReportType: Enum {
    case reportUnknown
    case reportConfirmedTest
    case reportClinicalDiagnosis
    case reportSelfReport
    case reportRecursive
    case reportRevoked
    case UNRECOGNIZED(Int)

    init() { self = .reportUnknown }
    init?(rawValue: Int) {
        switch rawValue {
        case 0: self = .reportUnknown
        case 1: self = .reportConfirmedTest
        case 2: self = .reportClinicalDiagnosis
        case 3: self = .reportSelfReport
        case 4: self = .reportRecursive
        case 5: self = .reportRevoked
        default: self = .UNRECOGNIZED(rawValue)
        }
    }
    var rawValue: Int {
        switch self {
        case .reportUnknown: 0
        case .reportConfirmedTest: 1
        case .reportClinicalDiagnosis: 2
        case .reportSelfReport: 3
        case .reportRecursive: 4
        case .reportRevoked: 5
        case .UNRECOGNIZED(let number): number
        }
    }
    static let names = [
        0: "REPORT_UNKNOWN",
        1: "REPORT_CONFIRMED_TEST",
        2: "REPORT_CLINICAL_DIAGNOSIS",
        3: "REPORT_SELF_REPORT",
        4: "REPORT_RECURSIVE",
        5: "REPORT_REVOKED",
    ]
}

enum WireInfectiousness: Enum {
    case none
    case standard
    case high
    case UNRECOGNIZED(Int)

    init() { self = .none }
    init?(rawValue: Int) {
        switch rawValue {
        case 0: self = .none
        case 1: self = .standard
        case 2: self = .high
        default: self = .UNRECOGNIZED(rawValue)
        }
    }
    var rawValue: Int {
        switch self {
        case .none: 0
        case .standard: 1
        case .high: 2
        case .UNRECOGNIZED(let number): number
        }
    }
    static let names = [
        0: "INFECTIOUSNESS_NONE",
        1: "INFECTIOUSNESS_STANDARD",
        2: "INFECTIOUSNESS_HIGH",
    ]
}

struct WireAnalyticsData: Message {
    /// Gives all requests one length.
    var requestPadding: Data = Data()
    /// At most 1.
    var exposureRisks: [WireExposureRisk] = []
    /// 0 to 2,688, of which 672 are kept.
    var exposureWindows: [WireExposureWindow] = []
    /// At most 2.
    var testResults: [WireTestResult] = []
    /// At most 3.
    var keySubmissions: [WireKeySubmission] = []
    /// IOSClient or AndroidClient, by the route.
    var client: Data = Data()
    @Presence var user: WireUser
    var hasUser: Bool { _user.value != nil }
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.donation.AnalyticsData", \Self.unknownFields, [
        Field(1, "requestPadding", \Self.requestPadding),
        Field(2, "exposureRisks", \Self.exposureRisks),
        Field(3, "exposureWindows", \Self.exposureWindows),
        Field(4, "testResults", \Self.testResults),
        Field(5, "keySubmissions", \Self.keySubmissions),
        Field(6, "client", \Self.client),
        Field(7, "user", \Self._user),
    ])
}

struct WireExposureRisk: Message {
    var riskLevel: WireRiskLevel = .riskUnknown
    var riskLevelChanged: Bool = false
    /// Seconds since 1970.
    var mostRecentDateAtRiskLevel: Int64 = 0
    var dateChanged: Bool = false
    var checkInRiskLevel: WireRiskLevel = .riskUnknown
    var checkInRiskLevelChanged: Bool = false
    /// Seconds since 1970.
    var checkInMostRecentDateAtRiskLevel: Int64 = 0
    var checkInDateChanged: Bool = false
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.donation.ExposureRisk", \Self.unknownFields, [
        Field(1, "riskLevel", \Self.riskLevel),
        Field(2, "riskLevelChanged", \Self.riskLevelChanged),
        Field(3, "mostRecentDateAtRiskLevel", \Self.mostRecentDateAtRiskLevel),
        Field(4, "dateChanged", \Self.dateChanged),
        Field(5, "checkInRiskLevel", \Self.checkInRiskLevel),
        Field(6, "checkInRiskLevelChanged", \Self.checkInRiskLevelChanged),
        Field(7, "checkInMostRecentDateAtRiskLevel", \Self.checkInMostRecentDateAtRiskLevel),
        Field(8, "checkInDateChanged", \Self.checkInDateChanged),
    ])
}

/// PPANewExposureWindow
struct WireExposureWindow: Message {
    @Presence var window: WireExposureWindow.Window
    var hasWindow: Bool { _window.value != nil }
    var transmissionRiskLevel: Int32 = 0
    var normalizedTime: Double = 0
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.donation.ExposureWindow", \Self.unknownFields, [
        Field(1, "window", \Self._window),
        Field(2, "transmissionRiskLevel", \Self.transmissionRiskLevel),
        Field(3, "normalizedTime", \Self.normalizedTime),
    ])

    /// PPAExposureWindow
    struct Window: Message {
        /// Seconds since 1970.
        var date: Int64 = 0
        var reportType: WireReportType = .reportUnknown
        var infectiousness: WireInfectiousness = .none
        var calibrationConfidence: Int32 = 0
        /// 1 to 15.
        var scanInstances: [WireExposureWindow.ScanInstance] = []
        var unknownFields = UnknownStorage()

        static let fields = FieldTable("vigil.donation.ExposureWindow.Window", \Self.unknownFields, [
            Field(1, "date", \Self.date),
            Field(2, "reportType", \Self.reportType),
            Field(3, "infectiousness", \Self.infectiousness),
            Field(4, "calibrationConfidence", \Self.calibrationConfidence),
            Field(5, "scanInstances", \Self.scanInstances),
        ])
    }

    struct ScanInstance: Message {
        var typicalAttenuation: Int32 = 0
        var minAttenuation: Int32 = 0
        var secondsSinceLastScan: Int32 = 0
        var unknownFields = UnknownStorage()

        static let fields = FieldTable("vigil.donation.ExposureWindow.ScanInstance", \Self.unknownFields, [
            Field(1, "typicalAttenuation", \Self.typicalAttenuation),
            Field(2, "minAttenuation", \Self.minAttenuation),
            Field(3, "secondsSinceLastScan", \Self.secondsSinceLastScan),
        ])
    }
}

struct WireTestResult: Message {
    var result: WireTestResult.Result = .unknown
    var hoursSinceTestRegistration: Int32 = 0
    var riskLevelAtTestRegistration: WireRiskLevel = .riskUnknown
    var daysSinceMostRecentDateAtRiskLevel: Int32 = 0
    var hoursSinceHighRiskWarning: Int32 = 0
    var checkInRiskLevelAtTestRegistration: WireRiskLevel = .riskUnknown
    var checkInDaysSinceMostRecentDateAtRiskLevel: Int32 = 0
    var checkInHoursSinceHighRiskWarning: Int32 = 0
    var exposureWindowsAtTestRegistration: [WireExposureWindow] = []
    var exposureWindowsUntilTestResult: [WireExposureWindow] = []
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.donation.TestResult", \Self.unknownFields, [
        Field(1, "result", \Self.result),
        Field(2, "hoursSinceTestRegistration", \Self.hoursSinceTestRegistration),
        Field(3, "riskLevelAtTestRegistration", \Self.riskLevelAtTestRegistration),
        Field(4, "daysSinceMostRecentDateAtRiskLevel", \Self.daysSinceMostRecentDateAtRiskLevel),
        Field(5, "hoursSinceHighRiskWarning", \Self.hoursSinceHighRiskWarning),
        Field(6, "checkInRiskLevelAtTestRegistration", \Self.checkInRiskLevelAtTestRegistration),
        Field(7, "checkInDaysSinceMostRecentDateAtRiskLevel", \Self.checkInDaysSinceMostRecentDateAtRiskLevel),
        Field(8, "checkInHoursSinceHighRiskWarning", \Self.checkInHoursSinceHighRiskWarning),
        Field(9, "exposureWindowsAtTestRegistration", \Self.exposureWindowsAtTestRegistration),
        Field(10, "exposureWindowsUntilTestResult", \Self.exposureWindowsUntilTestResult),
    ])

    enum Result: Enum {
        case unknown
        case pcrPending
        case pcrNegative
        case pcrPositive
        case pcrInvalid
        case rapidPending
        case rapidNegative
        case rapidPositive
        case rapidInvalid
        case UNRECOGNIZED(Int)

        init() { self = .unknown }
        init?(rawValue: Int) {
            switch rawValue {
            case 0: self = .unknown
            case 1: self = .pcrPending
            case 2: self = .pcrNegative
            case 3: self = .pcrPositive
            case 4: self = .pcrInvalid
            case 5: self = .rapidPending
            case 6: self = .rapidNegative
            case 7: self = .rapidPositive
            case 8: self = .rapidInvalid
            default: self = .UNRECOGNIZED(rawValue)
            }
        }
        var rawValue: Int {
            switch self {
            case .unknown: 0
            case .pcrPending: 1
            case .pcrNegative: 2
            case .pcrPositive: 3
            case .pcrInvalid: 4
            case .rapidPending: 5
            case .rapidNegative: 6
            case .rapidPositive: 7
            case .rapidInvalid: 8
            case .UNRECOGNIZED(let number): number
            }
        }
        static let names = [
            0: "UNKNOWN",
            1: "PCR_PENDING",
            2: "PCR_NEGATIVE",
            3: "PCR_POSITIVE",
            4: "PCR_INVALID",
            5: "RAPID_PENDING",
            6: "RAPID_NEGATIVE",
            7: "RAPID_POSITIVE",
            8: "RAPID_INVALID",
        ]
    }
}

struct WireKeySubmission: Message {
    var submitted: Bool = false
    var submittedInBackground: Bool = false
    var submittedAfterCancel: Bool = false
    var submittedAfterSymptomFlow: Bool = false
    var advancedConsentGiven: Bool = false
    var lastSubmissionFlowScreen: WireKeySubmission.Screen = .unknown
    var hoursSinceTestResult: Int32 = 0
    var hoursSinceTestRegistration: Int32 = 0
    var daysSinceMostRecentDateAtRiskLevel: Int32 = 0
    var hoursSinceHighRiskWarning: Int32 = 0
    var submittedWithTeleTan: Bool = false
    var submittedAfterRapidTest: Bool = false
    var checkInDaysSinceMostRecentDateAtRiskLevel: Int32 = 0
    var checkInHoursSinceHighRiskWarning: Int32 = 0
    var submittedWithCheckIns: WireKeySubmission.Answer = .unspecified
    var kind: WireKeySubmission.Kind = .registeredTest
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.donation.KeySubmission", \Self.unknownFields, [
        Field(1, "submitted", \Self.submitted),
        Field(2, "submittedInBackground", \Self.submittedInBackground),
        Field(3, "submittedAfterCancel", \Self.submittedAfterCancel),
        Field(4, "submittedAfterSymptomFlow", \Self.submittedAfterSymptomFlow),
        Field(5, "advancedConsentGiven", \Self.advancedConsentGiven),
        Field(6, "lastSubmissionFlowScreen", \Self.lastSubmissionFlowScreen),
        Field(7, "hoursSinceTestResult", \Self.hoursSinceTestResult),
        Field(8, "hoursSinceTestRegistration", \Self.hoursSinceTestRegistration),
        Field(9, "daysSinceMostRecentDateAtRiskLevel", \Self.daysSinceMostRecentDateAtRiskLevel),
        Field(10, "hoursSinceHighRiskWarning", \Self.hoursSinceHighRiskWarning),
        Field(11, "submittedWithTeleTan", \Self.submittedWithTeleTan),
        Field(12, "submittedAfterRapidTest", \Self.submittedAfterRapidTest),
        Field(13, "checkInDaysSinceMostRecentDateAtRiskLevel", \Self.checkInDaysSinceMostRecentDateAtRiskLevel),
        Field(14, "checkInHoursSinceHighRiskWarning", \Self.checkInHoursSinceHighRiskWarning),
        Field(15, "submittedWithCheckIns", \Self.submittedWithCheckIns),
        Field(16, "kind", \Self.kind),
    ])

    enum Screen: Enum {
        case unknown
        case other
        case testResult
        case warnOthers
        case symptoms
        case symptomOnset
        case UNRECOGNIZED(Int)

        init() { self = .unknown }
        init?(rawValue: Int) {
            switch rawValue {
            case 0: self = .unknown
            case 1: self = .other
            case 2: self = .testResult
            case 3: self = .warnOthers
            case 4: self = .symptoms
            case 5: self = .symptomOnset
            default: self = .UNRECOGNIZED(rawValue)
            }
        }
        var rawValue: Int {
            switch self {
            case .unknown: 0
            case .other: 1
            case .testResult: 2
            case .warnOthers: 3
            case .symptoms: 4
            case .symptomOnset: 5
            case .UNRECOGNIZED(let number): number
            }
        }
        static let names = [
            0: "SCREEN_UNKNOWN",
            1: "SCREEN_OTHER",
            2: "SCREEN_TEST_RESULT",
            3: "SCREEN_WARN_OTHERS",
            4: "SCREEN_SYMPTOMS",
            5: "SCREEN_SYMPTOM_ONSET",
        ]
    }

    /// TriStateBoolean
    enum Answer: Enum {
        case unspecified
        case yes
        case no
        case UNRECOGNIZED(Int)

        init() { self = .unspecified }
        init?(rawValue: Int) {
            switch rawValue {
            case 0: self = .unspecified
            case 1: self = .yes
            case 2: self = .no
            default: self = .UNRECOGNIZED(rawValue)
            }
        }
        var rawValue: Int {
            switch self {
            case .unspecified: 0
            case .yes: 1
            case .no: 2
            case .UNRECOGNIZED(let number): number
            }
        }
        static let names = [
            0: "ANSWER_UNSPECIFIED",
            1: "ANSWER_YES",
            2: "ANSWER_NO",
        ]
    }

    /// PPAKeySubmissionType
    enum Kind: Enum {
        case registeredTest
        case selfTest
        case registeredRapidTest
        case unregisteredRapidTest
        case registeredPcrTest
        case unregisteredPcrTest
        case rapidPcrTest
        case otherTest
        case UNRECOGNIZED(Int)

        init() { self = .registeredTest }
        init?(rawValue: Int) {
            switch rawValue {
            case 0: self = .registeredTest
            case 1: self = .selfTest
            case 2: self = .registeredRapidTest
            case 3: self = .unregisteredRapidTest
            case 4: self = .registeredPcrTest
            case 5: self = .unregisteredPcrTest
            case 6: self = .rapidPcrTest
            case 7: self = .otherTest
            default: self = .UNRECOGNIZED(rawValue)
            }
        }
        var rawValue: Int {
            switch self {
            case .registeredTest: 0
            case .selfTest: 1
            case .registeredRapidTest: 2
            case .unregisteredRapidTest: 3
            case .registeredPcrTest: 4
            case .unregisteredPcrTest: 5
            case .rapidPcrTest: 6
            case .otherTest: 7
            case .UNRECOGNIZED(let number): number
            }
        }
        static let names = [
            0: "REGISTERED_TEST",
            1: "SELF_TEST",
            2: "REGISTERED_RAPID_TEST",
            3: "UNREGISTERED_RAPID_TEST",
            4: "REGISTERED_PCR_TEST",
            5: "UNREGISTERED_PCR_TEST",
            6: "RAPID_PCR_TEST",
            7: "OTHER_TEST",
        ]
    }
}

struct WireIOSClient: Message {
    @Presence var app: WireSemanticVersion
    var hasApp: Bool { _app.value != nil }
    @Presence var system: WireSemanticVersion
    var hasSystem: Bool { _system.value != nil }
    var appConfigurationTag: String = ""
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.donation.IOSClient", \Self.unknownFields, [
        Field(1, "app", \Self._app),
        Field(2, "system", \Self._system),
        Field(3, "appConfigurationTag", \Self.appConfigurationTag),
    ])
}

struct WireAndroidClient: Message {
    @Presence var app: WireSemanticVersion
    var hasApp: Bool { _app.value != nil }
    var apiLevel: Int64 = 0
    var exposureNotificationVersion: Int64 = 0
    var appConfigurationTag: String = ""
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.donation.AndroidClient", \Self.unknownFields, [
        Field(1, "app", \Self._app),
        Field(2, "apiLevel", \Self.apiLevel),
        Field(3, "exposureNotificationVersion", \Self.exposureNotificationVersion),
        Field(4, "appConfigurationTag", \Self.appConfigurationTag),
    ])
}

struct WireSemanticVersion: Message {
    var major: UInt32 = 0
    var minor: UInt32 = 0
    var patch: UInt32 = 0
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.donation.SemanticVersion", \Self.unknownFields, [
        Field(1, "major", \Self.major),
        Field(2, "minor", \Self.minor),
        Field(3, "patch", \Self.patch),
    ])
}

struct WireUser: Message {
    /// One of the country's states: 1 to 16 are Germany's, from Baden-Wuerttemberg to Thuringia in the order of PPAFederalState.
    var federalState: Int32 = 0
    /// A district.
    var administrativeUnit: Int32 = 0
    var ageGroup: WireUser.AgeGroup = .ageUnspecified
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.donation.User", \Self.unknownFields, [
        Field(1, "federalState", \Self.federalState),
        Field(2, "administrativeUnit", \Self.administrativeUnit),
        Field(3, "ageGroup", \Self.ageGroup),
    ])

    enum AgeGroup: Enum {
        case ageUnspecified
        case age0To29
        case age30To59
        case ageFrom60
        case UNRECOGNIZED(Int)

        init() { self = .ageUnspecified }
        init?(rawValue: Int) {
            switch rawValue {
            case 0: self = .ageUnspecified
            case 1: self = .age0To29
            case 2: self = .age30To59
            case 3: self = .ageFrom60
            default: self = .UNRECOGNIZED(rawValue)
            }
        }
        var rawValue: Int {
            switch self {
            case .ageUnspecified: 0
            case .age0To29: 1
            case .age30To59: 2
            case .ageFrom60: 3
            case .UNRECOGNIZED(let number): number
            }
        }
        static let names = [
            0: "AGE_UNSPECIFIED",
            1: "AGE_0_TO_29",
            2: "AGE_30_TO_59",
            3: "AGE_FROM_60",
        ]
    }
}
