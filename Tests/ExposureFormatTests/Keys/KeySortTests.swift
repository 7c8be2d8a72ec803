import ExposureKeys
import TestSupport
import Testing

@testable import ExposureFormat

/// The order of published files, found by counting.
@Suite("Sorting keys", .heavy)
struct KeySortTests {
    /// What keys look like: in what they differ, and how much.
    enum Shape: CaseIterable {
        case likeReal, oneKind, aKindEach, sameFirstBytes, sameKeys, inOrder, backwards

        func keys(_ count: Int, _ random: inout SeededGenerator) throws -> [PublishedKey] {
            let keys = try (0..<count).map { number in
                let (start, length): (UInt32, UInt32) =
                    switch self {
                    case .oneKind, .sameKeys: (2_966_400, 144)
                    case .aKindEach: (UInt32(number) + 1, UInt32.random(in: 1...144, using: &random))
                    default:
                        (
                            2_966_400 - 144 * UInt32.random(in: 0..<15, using: &random),
                            Bool.random(using: &random) ? 144 : UInt32.random(in: 1...144, using: &random)
                        )
                    }
                let high: UInt64 =
                    switch self {
                    case .sameFirstBytes: .max << 8 | UInt64.random(in: 0..<4, using: &random)
                    case .sameKeys: 7
                    default: random.next()
                    }
                return PublishedKey(
                    data: KeyData(high: high, low: self == .sameKeys ? 7 : random.next()),
                    rollingPeriod: try #require(RollingPeriod(start: IntervalNumber(rawValue: start), length: length)),
                    transmissionRiskLevel: try #require(
                        TransmissionRiskLevel(rawValue: self == .oneKind ? 3 : Int.random(in: 1...8, using: &random))))
            }
            return switch self {
            case .inOrder: keys.sorted()
            case .backwards: keys.sorted().reversed()
            default: keys
            }
        }
    }

    @Test("the sort gives the same order as comparison, whatever the keys", arguments: Shape.allCases)
    func order(shape: Shape) throws {
        var random = SeededGenerator(seed: 11)
        for count in [0, 1, 2, 31, 32, 33, 34, 500, 5000, 20_000] {
            var keys = try shape.keys(count, &random)
            let expected = keys.sorted()
            KeySort.sort(&keys)
            let isSame = keys == expected
            #expect(isSame, "\(count) keys")
        }
    }
}
