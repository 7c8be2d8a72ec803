import Foundation
import PushFormat
import SwiftProtobuf
import Testing

@Suite struct PushRegistrationTests {
    private static let instance = "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"

    private static func registration(token: String, type: PushType = .ios) -> PushRegistration {
        PushRegistration.with {
            $0.version = 1
            $0.pushToken = token
            $0.pushType = type
            $0.deviceID = instance
        }
    }

    private static func hex(_ data: Data) -> String { data.map { String(format: "%02x", $0) }.joined() }

    @Test("the bytes are those that published apps send")
    func golden() throws {
        let tail = "2224" + Self.hex(Data(Self.instance.utf8))
        let sandbox = try Self.registration(token: "aabb", type: .iod).serializedBytes() as Data
        #expect(Self.hex(sandbox) == "0801" + "120461616262" + "1802" + tail)
        let none = try Self.registration(token: "").serializedBytes() as Data
        #expect(Self.hex(none) == "0801" + tail)
        #expect(none.count == 40)
        #expect(
            (try Self.registration(token: String(repeating: "a1", count: 32)).serializedBytes() as Data).count == 106)
    }

    @Test(
        "whatever a registration says, the phone's body has one length",
        arguments: ["", "aabb", String(repeating: "a1", count: 32), String(repeating: "a1", count: 100)],
        [PushType.ios, .and, .iod])
    func padded(token: String, type: PushType) throws {
        let registration = Self.registration(token: token, type: type)
        let body = try registration.padded()
        #expect(body.count == PushRegistration.paddedSize)
        var read = try PushRegistration(decoding: body)
        read.requestPadding = Data()
        #expect(read == registration)
    }

    @Test("other fields are passed over; what is no message is refused")
    func decoding() throws {
        let known = try Self.registration(token: "aabb").serializedBytes() as Data
        #expect(try PushRegistration(decoding: known + [0xaa, 0x01, 2, 1, 2]) == Self.registration(token: "aabb"))
        for body in [Data([0xff]), known.dropLast(), Data([0x12, 2, 0xff, 0xff])] {
            #expect(throws: UnreadableRegistration()) { try PushRegistration(decoding: body) }
        }
        #expect(try PushRegistration(decoding: Data()) == PushRegistration())
    }
}
