import ExposureFormat
import Testing

/// A state or a unit that a feed of figures has twice is told to the operator, and doesn't hold back the others' figures.
@Suite struct LocalStatisticsTests {
    private static let message = StaticMessage.localStatistics
    private static let consequence = "iPhones show the first of them"

    @Test(
        "an entry that is there twice is a notice, and the message is published as it is",
        arguments: [
            (
                #"{"administrativeUnitData": [{"administrativeUnitShortId": 16056, "updatedAt": 2}, "#
                    + #"{"administrativeUnitShortId": 1001}, {"administrativeUnitShortId": 16056, "updatedAt": 1}]}"#,
                ["administrativeUnitData.administrativeUnitShortId has 16056 more than once: \(Self.consequence)."]
            ),
            (
                #"{"federalStateData": [{"federalState": "FEDERAL_STATE_HE"}, {"federalState": "FEDERAL_STATE_HE"}]}"#,
                ["federalStateData.federalState has 5 more than once: \(Self.consequence)."]
            ),
            (#"{"administrativeUnitData": [{"administrativeUnitShortId": 1}, {"administrativeUnitShortId": 2}]}"#, []),
        ])
    func repeated(json: String, notices: [String]) throws {
        let bytes = try Self.message.encode(json: Array(json.utf8))
        try Self.message.review(encoded: bytes)
        #expect(Self.message.notices(encoded: bytes) == notices)
    }
}
