import DeviceCheck
import Foundation
import Testing

/// "Accessing and modifying per-device data": what goes to Apple.
@Suite struct DeviceCheckRequestTests {
    private static let transaction = UUID(uuid: (0xAB, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0xCD))

    private static func json(_ operation: DeviceCheckRequest.Operation, at now: Date = Sample.now) throws -> [String:
        Any]
    {
        let request = try DeviceCheckRequest(operation, token: Sample.token, transaction: transaction)
        return try #require(try JSONSerialization.jsonObject(with: Data(request.json(at: now))) as? [String: Any])
    }

    @Test func `a query names token, transaction and milliseconds, and nothing else`() throws {
        let json = try Self.json(.query)
        #expect(Set(json.keys) == ["device_token", "transaction_id", "timestamp"])
        #expect(json["device_token"] as? String == Sample.text(2800))
        #expect(json["transaction_id"] as? String == "ab010203-0405-0607-0809-0a0b0c0d0ecd")
        #expect(json["timestamp"] as? Int == 1_795_521_600_000)
        #expect(DeviceCheckRequest.Operation.query.path == "/v1/query_two_bits")
    }

    @Test(arguments: [(false, false), (false, true), (true, false), (true, true)])
    func `an update names both bits`(_ first: Bool, _ second: Bool) throws {
        let operation = DeviceCheckRequest.Operation.update(first: first, second: second)
        let json = try Self.json(operation)
        #expect(Set(json.keys) == ["device_token", "transaction_id", "timestamp", "bit0", "bit1"])
        #expect(json["bit0"] as? Bool == first)
        #expect(json["bit1"] as? Bool == second)
        #expect(operation.path == "/v1/update_two_bits")
    }

    @Test func `a time is a whole number, whatever the clock says`() throws {
        let request = try DeviceCheckRequest(.query, token: Sample.token, transaction: Self.transaction)
        let text = String(decoding: try request.json(at: Sample.now + 0.9996), as: UTF8.self)
        #expect(text.contains("\"timestamp\":1795521600999,"))
        #expect(!text.contains("\\/"))
        #expect(!text.contains("\n"))
    }
}
