// swift-format-ignore-file
// Made by Shared/Formats/generate.py from diagnosis_key_batch.proto: change that.
//
// What countries exchange through the European Federation Gateway: diagnosis keys with what they need to be used abroad.
//
// Package, field names and numbers are the gateway's (efgs-federation-gateway, Efgs.proto): never renumber.

import FoundationEssentials
import SwiftProtobuf

enum WireReportType: Enum {
    case unknown
    case confirmedTest
    case confirmedClinicalDiagnosis
    case selfReport
    case recursive
    case revoked
    case UNRECOGNIZED(Int)

    init() { self = .unknown }
    init?(rawValue: Int) {
        switch rawValue {
        case 0: self = .unknown
        case 1: self = .confirmedTest
        case 2: self = .confirmedClinicalDiagnosis
        case 3: self = .selfReport
        case 4: self = .recursive
        case 5: self = .revoked
        default: self = .UNRECOGNIZED(rawValue)
        }
    }
    var rawValue: Int {
        switch self {
        case .unknown: 0
        case .confirmedTest: 1
        case .confirmedClinicalDiagnosis: 2
        case .selfReport: 3
        case .recursive: 4
        case .revoked: 5
        case .UNRECOGNIZED(let number): number
        }
    }
    static let names = [
        0: "UNKNOWN",
        1: "CONFIRMED_TEST",
        2: "CONFIRMED_CLINICAL_DIAGNOSIS",
        3: "SELF_REPORT",
        4: "RECURSIVE",
        5: "REVOKED",
    ]
}

struct WireDiagnosisKeyBatch: Message {
    var keys: [WireDiagnosisKey] = []
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("eu.interop.DiagnosisKeyBatch", \Self.unknownFields, [
        Field(1, "keys", \Self.keys),
    ])
}

struct WireDiagnosisKey: Message {
    /// 16 bytes.
    var keyData: Data = Data()
    /// In units of ten minutes since 1970.
    var rollingStartIntervalNumber: UInt32 = 0
    /// In units of ten minutes, 1 to 144.
    var rollingPeriod: UInt32 = 0
    /// 0 to 8, or 2147483647 if the country has no levels.
    var transmissionRiskLevel: Int32 = 0
    /// ISO 3166-1 alpha-2.
    var visitedCountries: [String] = []
    /// ISO 3166-1 alpha-2.
    var origin: String = ""
    var reportType: WireReportType = .unknown
    /// -14 to 4014, in classes.
    var daysSinceOnsetOfSymptoms: Int32 = 0
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("eu.interop.DiagnosisKey", \Self.unknownFields, [
        Field(1, "keyData", \Self.keyData),
        Field(2, "rollingStartIntervalNumber", \Self.rollingStartIntervalNumber),
        Field(3, "rollingPeriod", \Self.rollingPeriod),
        Field(4, "transmissionRiskLevel", \Self.transmissionRiskLevel),
        Field(5, "visitedCountries", \Self.visitedCountries),
        Field(6, "origin", \Self.origin),
        Field(7, "reportType", \Self.reportType),
        Field(sint32: 8, "days_since_onset_of_symptoms", \Self.daysSinceOnsetOfSymptoms),
    ])
}
