// swift-format-ignore-file
// Made by Shared/Formats/generate.py from statistics.proto: change that.
//
// Figures about the pandemic that the app shows on cards.
//
// Field names and numbers are those that the Corona-Warn-App's phones read: never renumber.

import SwiftProtobuf

struct WireStatistics: Message {
    /// The order of the cards; identifiers that no card has are skipped.
    var cardIDSequence: [Int32] = []
    var keyFigureCards: [WireKeyFigureCard] = []
    var linkCards: [WireLinkCard] = []
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.Statistics", \Self.unknownFields, [
        Field(1, "cardIdSequence", \Self.cardIDSequence),
        Field(2, "keyFigureCards", \Self.keyFigureCards),
        Field(3, "linkCards", \Self.linkCards),
    ])
}

struct WireCardHeader: Message {
    var cardID: Int32 = 0
    /// UTC seconds since 1970.
    var updatedAt: Int64 = 0
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.CardHeader", \Self.unknownFields, [
        Field(1, "cardId", \Self.cardID),
        Field(2, "updatedAt", \Self.updatedAt),
    ])
}

struct WireKeyFigureCard: Message {
    @Presence var header: WireCardHeader
    var hasHeader: Bool { _header.value != nil }
    var keyFigures: [WireKeyFigure] = []
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.KeyFigureCard", \Self.unknownFields, [
        Field(1, "header", \Self._header),
        Field(2, "keyFigures", \Self.keyFigures),
    ])
}

struct WireKeyFigure: Message {
    var rank: WireKeyFigure.Rank = .unspecifiedRank
    var value: Double = 0
    /// How many are shown.
    var decimals: Int32 = 0
    var trend: WireKeyFigure.Trend = .unspecifiedTrend
    var trendSemantic: WireKeyFigure.TrendSemantic = .unspecifiedTrendSemantic
    /// Takes the place of the card's, unless it is 0.
    var updatedAt: Int64 = 0
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.KeyFigure", \Self.unknownFields, [
        Field(1, "rank", \Self.rank),
        Field(2, "value", \Self.value),
        Field(3, "decimals", \Self.decimals),
        Field(4, "trend", \Self.trend),
        Field(5, "trendSemantic", \Self.trendSemantic),
        Field(6, "updatedAt", \Self.updatedAt),
    ])

    enum Rank: Enum {
        case unspecifiedRank
        case primary
        case secondary
        case tertiary
        case UNRECOGNIZED(Int)

        init() { self = .unspecifiedRank }
        init?(rawValue: Int) {
            switch rawValue {
            case 0: self = .unspecifiedRank
            case 1: self = .primary
            case 2: self = .secondary
            case 3: self = .tertiary
            default: self = .UNRECOGNIZED(rawValue)
            }
        }
        var rawValue: Int {
            switch self {
            case .unspecifiedRank: 0
            case .primary: 1
            case .secondary: 2
            case .tertiary: 3
            case .UNRECOGNIZED(let number): number
            }
        }
        static let names = [
            0: "UNSPECIFIED_RANK",
            1: "PRIMARY",
            2: "SECONDARY",
            3: "TERTIARY",
        ]
    }

    enum Trend: Enum {
        case unspecifiedTrend
        case stable
        case increasing
        case decreasing
        case UNRECOGNIZED(Int)

        init() { self = .unspecifiedTrend }
        init?(rawValue: Int) {
            switch rawValue {
            case 0: self = .unspecifiedTrend
            case 1: self = .stable
            case 2: self = .increasing
            case 3: self = .decreasing
            default: self = .UNRECOGNIZED(rawValue)
            }
        }
        var rawValue: Int {
            switch self {
            case .unspecifiedTrend: 0
            case .stable: 1
            case .increasing: 2
            case .decreasing: 3
            case .UNRECOGNIZED(let number): number
            }
        }
        static let names = [
            0: "UNSPECIFIED_TREND",
            1: "STABLE",
            2: "INCREASING",
            3: "DECREASING",
        ]
    }

    /// Whether the trend is good news.
    enum TrendSemantic: Enum {
        case unspecifiedTrendSemantic
        case neutral
        case positive
        case negative
        case UNRECOGNIZED(Int)

        init() { self = .unspecifiedTrendSemantic }
        init?(rawValue: Int) {
            switch rawValue {
            case 0: self = .unspecifiedTrendSemantic
            case 1: self = .neutral
            case 2: self = .positive
            case 3: self = .negative
            default: self = .UNRECOGNIZED(rawValue)
            }
        }
        var rawValue: Int {
            switch self {
            case .unspecifiedTrendSemantic: 0
            case .neutral: 1
            case .positive: 2
            case .negative: 3
            case .UNRECOGNIZED(let number): number
            }
        }
        static let names = [
            0: "UNSPECIFIED_TREND_SEMANTIC",
            1: "NEUTRAL",
            2: "POSITIVE",
            3: "NEGATIVE",
        ]
    }
}

struct WireLinkCard: Message {
    @Presence var header: WireCardHeader
    var hasHeader: Bool { _header.value != nil }
    var url: String = ""
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.LinkCard", \Self.unknownFields, [
        Field(1, "header", \Self._header),
        Field(2, "url", \Self.url),
    ])
}

/// The figures of a group of federal states, `local_stats_<group>`.
struct WireLocalStatistics: Message {
    var federalStateData: [WireFederalStateData] = []
    var administrativeUnitData: [WireAdministrativeUnitData] = []
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.LocalStatistics", \Self.unknownFields, [
        Field(1, "federalStateData", \Self.federalStateData),
        Field(2, "administrativeUnitData", \Self.administrativeUnitData),
    ])
}

struct WireFederalStateData: Message {
    var federalState: WireFederalStateData.FederalState = .sh
    var updatedAt: Int64 = 0
    @Presence var sevenDayIncidence: WireSevenDayIncidenceData
    var hasSevenDayIncidence: Bool { _sevenDayIncidence.value != nil }
    var sevenDayHospitalizationIncidenceUpdatedAt: Int64 = 0
    @Presence var sevenDayHospitalizationIncidence: WireSevenDayIncidenceData
    var hasSevenDayHospitalizationIncidence: Bool { _sevenDayHospitalizationIncidence.value != nil }
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.FederalStateData", \Self.unknownFields, [
        Field(1, "federalState", \Self.federalState),
        Field(2, "updatedAt", \Self.updatedAt),
        Field(3, "sevenDayIncidence", \Self._sevenDayIncidence),
        Field(4, "sevenDayHospitalizationIncidenceUpdatedAt", \Self.sevenDayHospitalizationIncidenceUpdatedAt),
        Field(5, "sevenDayHospitalizationIncidence", \Self._sevenDayHospitalizationIncidence),
    ])

    enum FederalState: Enum {
        case sh
        case hh
        case ni
        case hb
        case nrw
        case he
        case rp
        case bw
        case by
        case sl
        case be
        case bb
        case mv
        case sn
        case st
        case th
        case UNRECOGNIZED(Int)

        init() { self = .sh }
        init?(rawValue: Int) {
            switch rawValue {
            case 0: self = .sh
            case 1: self = .hh
            case 2: self = .ni
            case 3: self = .hb
            case 4: self = .nrw
            case 5: self = .he
            case 6: self = .rp
            case 7: self = .bw
            case 8: self = .by
            case 9: self = .sl
            case 10: self = .be
            case 11: self = .bb
            case 12: self = .mv
            case 13: self = .sn
            case 14: self = .st
            case 15: self = .th
            default: self = .UNRECOGNIZED(rawValue)
            }
        }
        var rawValue: Int {
            switch self {
            case .sh: 0
            case .hh: 1
            case .ni: 2
            case .hb: 3
            case .nrw: 4
            case .he: 5
            case .rp: 6
            case .bw: 7
            case .by: 8
            case .sl: 9
            case .be: 10
            case .bb: 11
            case .mv: 12
            case .sn: 13
            case .st: 14
            case .th: 15
            case .UNRECOGNIZED(let number): number
            }
        }
        static let names = [
            0: "FEDERAL_STATE_SH",
            1: "FEDERAL_STATE_HH",
            2: "FEDERAL_STATE_NI",
            3: "FEDERAL_STATE_HB",
            4: "FEDERAL_STATE_NRW",
            5: "FEDERAL_STATE_HE",
            6: "FEDERAL_STATE_RP",
            7: "FEDERAL_STATE_BW",
            8: "FEDERAL_STATE_BY",
            9: "FEDERAL_STATE_SL",
            10: "FEDERAL_STATE_BE",
            11: "FEDERAL_STATE_BB",
            12: "FEDERAL_STATE_MV",
            13: "FEDERAL_STATE_SN",
            14: "FEDERAL_STATE_ST",
            15: "FEDERAL_STATE_TH",
        ]
    }
}

/// A county or city.
struct WireAdministrativeUnitData: Message {
    var administrativeUnitShortID: UInt32 = 0
    var updatedAt: Int64 = 0
    @Presence var sevenDayIncidence: WireSevenDayIncidenceData
    var hasSevenDayIncidence: Bool { _sevenDayIncidence.value != nil }
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.AdministrativeUnitData", \Self.unknownFields, [
        Field(1, "administrativeUnitShortId", \Self.administrativeUnitShortID),
        Field(2, "updatedAt", \Self.updatedAt),
        Field(3, "sevenDayIncidence", \Self._sevenDayIncidence),
    ])
}

struct WireSevenDayIncidenceData: Message {
    var value: Double = 0
    var trend: WireKeyFigure.Trend = .unspecifiedTrend
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.SevenDayIncidenceData", \Self.unknownFields, [
        Field(1, "value", \Self.value),
        Field(2, "trend", \Self.trend),
    ])
}
