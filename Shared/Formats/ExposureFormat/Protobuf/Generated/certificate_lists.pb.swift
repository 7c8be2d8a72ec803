// swift-format-ignore-file
// Made by Shared/Formats/generate.py from certificate_lists.proto: change that.
//
// Lists about digital certificates, which the app loads. This suite issues no certificates: an operator who has such lists publishes them.
//
// Field names and numbers are those that the Corona-Warn-App's phones read: never renumber.

import FoundationEssentials
import SwiftProtobuf

/// The signers whose certificates are valid, `ehn-dgc/dscs`.
struct WireDscList: Message {
    var certificates: [WireDscListItem] = []
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.DscList", \Self.unknownFields, [
        Field(1, "certificates", \Self.certificates),
    ])
}

struct WireDscListItem: Message {
    /// The first eight bytes of the SHA-256 of the certificate.
    var kid: Data = Data()
    /// An X.509 certificate in DER.
    var data: Data = Data()
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.DscListItem", \Self.unknownFields, [
        Field(1, "kid", \Self.kid),
        Field(2, "data", \Self.data),
    ])
}

/// The signers of whose certificates some are revoked, `dcc-rl/kid`.
struct WireRevocationKidList: Message {
    var items: [WireRevocationKidListItem] = []
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.RevocationKidList", \Self.unknownFields, [
        Field(1, "items", \Self.items),
    ])
}

struct WireRevocationKidListItem: Message {
    var kid: Data = Data()
    /// A byte each: 0x0A, 0x0B or 0x0C.
    var hashTypes: [Data] = []
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.RevocationKidListItem", \Self.unknownFields, [
        Field(1, "kid", \Self.kid),
        Field(2, "hashTypes", \Self.hashTypes),
    ])
}

/// The services that may ask for a certificate, `ehn-dgc/validation-services`.
struct WireValidationServiceAllowlist: Message {
    var certificates: [WireValidationServiceAllowlistItem] = []
    var serviceProviders: [WireServiceProviderAllowlistItem] = []
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.ValidationServiceAllowlist", \Self.unknownFields, [
        Field(1, "certificates", \Self.certificates),
        Field(2, "serviceProviders", \Self.serviceProviders),
    ])
}

struct WireValidationServiceAllowlistItem: Message {
    var serviceProvider: String = ""
    var hostname: String = ""
    /// SHA-256 of the service's TLS certificate.
    var fingerprint256: Data = Data()
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.ValidationServiceAllowlistItem", \Self.unknownFields, [
        Field(1, "serviceProvider", \Self.serviceProvider),
        Field(2, "hostname", \Self.hostname),
        Field(3, "fingerprint256", \Self.fingerprint256),
    ])
}

struct WireServiceProviderAllowlistItem: Message {
    /// SHA-256 of the service's address.
    var serviceIdentityHash: Data = Data()
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.ServiceProviderAllowlistItem", \Self.unknownFields, [
        Field(1, "serviceIdentityHash", \Self.serviceIdentityHash),
    ])
}

/// The texts for codes in certificates, `ehn-dgc/<language>/value-sets`.
struct WireValueSets: Message {
    @Presence var vp: WireValueSet
    var hasVp: Bool { _vp.value != nil }
    @Presence var mp: WireValueSet
    var hasMp: Bool { _mp.value != nil }
    @Presence var ma: WireValueSet
    var hasMa: Bool { _ma.value != nil }
    @Presence var tg: WireValueSet
    var hasTg: Bool { _tg.value != nil }
    @Presence var tcTt: WireValueSet
    var hasTcTt: Bool { _tcTt.value != nil }
    @Presence var tcMa: WireValueSet
    var hasTcMa: Bool { _tcMa.value != nil }
    @Presence var tcTr: WireValueSet
    var hasTcTr: Bool { _tcTr.value != nil }
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.ValueSets", \Self.unknownFields, [
        Field(1, "vp", \Self._vp),
        Field(2, "mp", \Self._mp),
        Field(3, "ma", \Self._ma),
        Field(4, "tg", \Self._tg),
        Field(5, "tcTt", \Self._tcTt),
        Field(6, "tcMa", \Self._tcMa),
        Field(7, "tcTr", \Self._tcTr),
    ])
}

struct WireValueSet: Message {
    var items: [WireValueSetItem] = []
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.ValueSet", \Self.unknownFields, [
        Field(1, "items", \Self.items),
    ])
}

struct WireValueSetItem: Message {
    var key: String = ""
    var displayText: String = ""
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.ValueSetItem", \Self.unknownFields, [
        Field(1, "key", \Self.key),
        Field(2, "displayText", \Self.displayText),
    ])
}
