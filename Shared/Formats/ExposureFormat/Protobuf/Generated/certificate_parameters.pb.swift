// swift-format-ignore-file
// Made by Shared/Formats/generate.py from certificate_parameters.proto: change that.
//
// Tests and digital certificates.

import FoundationEssentials
import SwiftProtobuf

struct WireCoronaTestParameters: Message {
    @Presence var coronaRapidAntigenTestParameters: WireCoronaRapidAntigenTestParameters
    var hasCoronaRapidAntigenTestParameters: Bool { _coronaRapidAntigenTestParameters.value != nil }
    @Presence var coronaPcrtestParameters: WireCoronaPCRTestParameters
    var hasCoronaPcrtestParameters: Bool { _coronaPcrtestParameters.value != nil }
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.CoronaTestParameters", \Self.unknownFields, [
        Field(1, "coronaRapidAntigenTestParameters", \Self._coronaRapidAntigenTestParameters),
        Field(2, "coronaPCRTestParameters", \Self._coronaPcrtestParameters),
    ])
}

struct WireCoronaRapidAntigenTestParameters: Message {
    var hoursToDeemTestOutdated: UInt32 = 0
    var hoursSinceSampleCollectionToShowRiskCard: UInt32 = 0
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.CoronaRapidAntigenTestParameters", \Self.unknownFields, [
        Field(1, "hoursToDeemTestOutdated", \Self.hoursToDeemTestOutdated),
        Field(2, "hoursSinceSampleCollectionToShowRiskCard", \Self.hoursSinceSampleCollectionToShowRiskCard),
    ])
}

struct WireCoronaPCRTestParameters: Message {
    var hoursSinceTestRegistrationToShowRiskCard: UInt32 = 0
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.CoronaPCRTestParameters", \Self.unknownFields, [
        Field(1, "hoursSinceTestRegistrationToShowRiskCard", \Self.hoursSinceTestRegistrationToShowRiskCard),
    ])
}

struct WireDGCParameters: Message {
    @Presence var testCertificateParameters: WireDGCTestCertificateParameters
    var hasTestCertificateParameters: Bool { _testCertificateParameters.value != nil }
    var expirationThresholdInDays: UInt32 = 0
    @Presence var blockListParameters: WireDGCBlocklistParameters
    var hasBlockListParameters: Bool { _blockListParameters.value != nil }
    /// SHA-256 of the key that the phone expects of the service. Android refuses an empty one, and takes any other bytes.
    var reissueServicePublicKeyDigest: Data = Data()
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.DGCParameters", \Self.unknownFields, [
        Field(1, "testCertificateParameters", \Self._testCertificateParameters),
        Field(2, "expirationThresholdInDays", \Self.expirationThresholdInDays),
        Field(3, "blockListParameters", \Self._blockListParameters),
        Field(4, "reissueServicePublicKeyDigest", \Self.reissueServicePublicKeyDigest),
    ])
}

struct WireDGCTestCertificateParameters: Message {
    var waitAfterPublicKeyRegistrationInSeconds: UInt32 = 0
    var waitForRetryInSeconds: UInt32 = 0
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.DGCTestCertificateParameters", \Self.unknownFields, [
        Field(1, "waitAfterPublicKeyRegistrationInSeconds", \Self.waitAfterPublicKeyRegistrationInSeconds),
        Field(2, "waitForRetryInSeconds", \Self.waitForRetryInSeconds),
    ])
}

struct WireDGCBlocklistParameters: Message {
    var blockedUvciChunks: [WireDGCBlockedUVCIChunk] = []
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.DGCBlocklistParameters", \Self.unknownFields, [
        Field(1, "blockedUvciChunks", \Self.blockedUvciChunks),
    ])
}

/// Certificates of which these parts of the identifier, joined, have this SHA-256.
struct WireDGCBlockedUVCIChunk: Message {
    var indices: [UInt32] = []
    var hash: Data = Data()
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.DGCBlockedUVCIChunk", \Self.unknownFields, [
        Field(1, "indices", \Self.indices),
        Field(2, "hash", \Self.hash),
    ])
}
