// swift-format-ignore-file
// Made by Shared/Formats/generate.py from app_configuration_parts.proto: change that.
//
// What the application configurations of all versions are made of.
//
// Field names and numbers here and in the other app_configuration files are those that the Corona-Warn-App's phones
// read: never renumber. Messages are proto3, so zero is not written.

import SwiftProtobuf

/// Ordered by major, then minor, then patch.
struct WireSemanticVersion: Message {
    var major: UInt32 = 0
    var minor: UInt32 = 0
    var patch: UInt32 = 0
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.SemanticVersion", \Self.unknownFields, [
        Field(1, "major", \Self.major),
        Field(2, "minor", \Self.minor),
        Field(3, "patch", \Self.patch),
    ])
}

/// Switches by name; phones ignore names that they don't know.
struct WireAppFeatures: Message {
    var appFeatures: [WireAppFeature] = []
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.AppFeatures", \Self.unknownFields, [
        Field(1, "appFeatures", \Self.appFeatures),
    ])
}

struct WireAppFeature: Message {
    var label: String = ""
    var value: Int32 = 0
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.AppFeature", \Self.unknownFields, [
        Field(1, "label", \Self.label),
        Field(2, "value", \Self.value),
    ])
}

/// Packages that phones shall not evaluate, and if they have them, shall throw away.
struct WireKeyDownloadParametersIOS: Message {
    var revokedDayPackages: [WireDayPackageMetadata] = []
    var revokedHourPackages: [WireHourPackageMetadata] = []
    var revokedTraceWarningPackages: [WireTraceWarningPackageMetadata] = []
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.KeyDownloadParametersIOS", \Self.unknownFields, [
        Field(1, "revokedDayPackages", \Self.revokedDayPackages),
        Field(2, "revokedHourPackages", \Self.revokedHourPackages),
        Field(3, "revokedTraceWarningPackages", \Self.revokedTraceWarningPackages),
    ])
}

/// As on iOS, and how long a phone waits for one package and for all of them.
struct WireKeyDownloadParametersAndroid: Message {
    var revokedDayPackages: [WireDayPackageMetadata] = []
    var revokedHourPackages: [WireHourPackageMetadata] = []
    var downloadTimeoutInSeconds: Int32 = 0
    var overallTimeoutInSeconds: Int32 = 0
    var revokedTraceWarningPackages: [WireTraceWarningPackageMetadata] = []
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.KeyDownloadParametersAndroid", \Self.unknownFields, [
        Field(1, "revokedDayPackages", \Self.revokedDayPackages),
        Field(2, "revokedHourPackages", \Self.revokedHourPackages),
        Field(3, "downloadTimeoutInSeconds", \Self.downloadTimeoutInSeconds),
        Field(4, "overallTimeoutInSeconds", \Self.overallTimeoutInSeconds),
        Field(5, "revokedTraceWarningPackages", \Self.revokedTraceWarningPackages),
    ])
}

struct WireDayPackageMetadata: Message {
    /// The country directory of the tree, DE or EUR.
    var region: String = ""
    /// yyyy-MM-dd.
    var date: String = ""
    /// The package's ETag as it is served.
    var etag: String = ""
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.DayPackageMetadata", \Self.unknownFields, [
        Field(1, "region", \Self.region),
        Field(2, "date", \Self.date),
        Field(3, "etag", \Self.etag),
    ])
}

struct WireHourPackageMetadata: Message {
    var region: String = ""
    var date: String = ""
    /// 0 to 23, UTC.
    var hour: Int32 = 0
    var etag: String = ""
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.HourPackageMetadata", \Self.unknownFields, [
        Field(1, "region", \Self.region),
        Field(2, "date", \Self.date),
        Field(3, "hour", \Self.hour),
        Field(4, "etag", \Self.etag),
    ])
}

struct WireTraceWarningPackageMetadata: Message {
    var etag: String = ""
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.TraceWarningPackageMetadata", \Self.unknownFields, [
        Field(1, "etag", \Self.etag),
    ])
}

struct WireExposureDetectionParametersIOS: Message {
    /// How often a phone asks its operating system for exposures in 24 hours.
    var maxExposureDetectionsPerInterval: Int32 = 0
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.ExposureDetectionParametersIOS", \Self.unknownFields, [
        Field(1, "maxExposureDetectionsPerInterval", \Self.maxExposureDetectionsPerInterval),
    ])
}

struct WireExposureDetectionParametersAndroid: Message {
    var maxExposureDetectionsPerInterval: Int32 = 0
    var overallTimeoutInSeconds: Int32 = 0
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.ExposureDetectionParametersAndroid", \Self.unknownFields, [
        Field(1, "maxExposureDetectionsPerInterval", \Self.maxExposureDetectionsPerInterval),
        Field(2, "overallTimeoutInSeconds", \Self.overallTimeoutInSeconds),
    ])
}
