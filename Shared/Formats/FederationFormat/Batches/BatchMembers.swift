import FoundationEssentials
import StrictJSON

/// A batch in the gateway's JSON, which isn't the mapping of Protocol Buffers: the names are the schema's, zeros and
/// empty lists are left out (protobuf-java-format).
struct BatchMembers: Codable {
    private let keys: [KeyMembers]?

    init(_ keys: [FederatedKey]) {
        self.keys = keys.isEmpty ? nil : keys.map { KeyMembers(UncheckedKey($0)) }
    }

    private enum CodingKeys: String, CodingKey {
        case keys
    }

    /// The keys of a body; nil for one that can't be decoded.
    static func keys(in body: [UInt8]) throws(BatchFlaw) -> [UncheckedKey?] {
        guard !body.isEmpty else { return [] }
        do {
            let batch = try StrictJSON.decode(Lenient.self, from: Data(body))
            guard batch.keys.count <= ReceivedBatch.mostKeys else { throw BatchFlaw.tooManyKeys }
            return batch.keys
        } catch BatchFlaw.tooManyKeys {
            throw .tooManyKeys
        } catch {
            throw .unreadable
        }
    }

    /// Each key by itself, and none behind the first one too many.
    private struct Lenient: Decodable {
        let keys: [UncheckedKey?]

        init(from decoder: any Decoder) throws {
            let batch = try decoder.container(keyedBy: BatchMembers.CodingKeys.self)
            var keys: [UncheckedKey?] = []
            if batch.contains(.keys), try !batch.decodeNil(forKey: .keys) {
                var list = try batch.nestedUnkeyedContainer(forKey: .keys)
                while !list.isAtEnd, keys.count <= ReceivedBatch.mostKeys {
                    keys.append(try list.decode(LenientKey.self).key)
                }
            }
            self.keys = keys
        }
    }

    private struct LenientKey: Decodable {
        let key: UncheckedKey?

        init(from decoder: any Decoder) { key = (try? KeyMembers(from: decoder))?.unchecked }
    }
}

/// A key in the gateway's JSON.
private struct KeyMembers: Codable {
    let keyData: String?
    let rollingStartIntervalNumber: Int64?
    let rollingPeriod: Int64?
    let transmissionRiskLevel: Int32?
    let visitedCountries: [String]?
    let origin: String?
    let reportType: String?
    let daysSinceOnset: Int32?

    private enum CodingKeys: String, CodingKey {
        case keyData, rollingStartIntervalNumber, rollingPeriod, transmissionRiskLevel, visitedCountries, origin
        case reportType
        case daysSinceOnset = "days_since_onset_of_symptoms"
    }

    /// By their numbers.
    private static let types = [
        "UNKNOWN", "CONFIRMED_TEST", "CONFIRMED_CLINICAL_DIAGNOSIS", "SELF_REPORT", "RECURSIVE", "REVOKED",
    ]

    init(_ key: UncheckedKey) {
        func unlessZero<Number: FixedWidthInteger>(_ number: Number) -> Number? { number == 0 ? nil : number }
        keyData = key.data.isEmpty ? nil : Data(key.data).base64EncodedString()
        rollingStartIntervalNumber = unlessZero(Int64(key.rollingStart))
        rollingPeriod = unlessZero(Int64(key.rollingPeriod))
        transmissionRiskLevel = unlessZero(key.riskLevel)
        visitedCountries = key.visitedCountries.isEmpty ? nil : key.visitedCountries
        origin = key.origin.isEmpty ? nil : key.origin
        reportType = unlessZero(key.reportType).flatMap { type in
            Self.types.indices.contains(Int(type)) ? Self.types[Int(type)] : nil
        }
        daysSinceOnset = unlessZero(key.daysSinceOnset)
    }

    /// Nil if the key isn't in Base64, or if a number is none of 32 bits.
    var unchecked: UncheckedKey? {
        guard let data = Data(base64Encoded: keyData ?? ""), let start = Self.bits(rollingStartIntervalNumber),
            let period = Self.bits(rollingPeriod)
        else { return nil }
        let type = reportType.map { Self.types.firstIndex(of: $0).map { Int32($0) } ?? UncheckedKey.unnamedType } ?? 0
        return UncheckedKey(
            data: Array(data), rollingStart: start, rollingPeriod: period, riskLevel: transmissionRiskLevel ?? 0,
            visitedCountries: visitedCountries ?? [], origin: origin ?? "", reportType: type,
            daysSinceOnset: daysSinceOnset ?? 0)
    }

    private static func bits(_ number: Int64?) -> UInt32? {
        let number = number ?? 0
        return (0...Int64(UInt32.max)).contains(number) ? UInt32(number) : nil
    }
}
