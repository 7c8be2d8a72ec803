import Credentials
import DonationAPI
import Foundation
import FurtherAPI
import HTTPContract
import HTTPTypes
import Testing
import VerificationAPI

/// The schemas of the listeners' documents describe the very messages that the golden files hold.
@Suite struct SchemaTests {
    private static let ours = GoldenTests.ours

    @Test("a golden body matches its message's schema", arguments: ours + GoldenTests.foreign)
    func matches(_ golden: GoldenTests.Golden) throws {
        guard let schema = golden.schema else { return }
        let validator = try SchemaValidator(WireFile(golden.testDescription).body, against: schema)
        #expect(validator.mistakes.isEmpty)
    }

    @Test("a schema names every property that we send", arguments: ours)
    func namesAll(_ golden: GoldenTests.Golden) throws {
        guard let schema = golden.schema else { return }
        let validator = try SchemaValidator(WireFile(golden.testDescription).body, against: schema)
        #expect(validator.unknown.isEmpty)
    }

    @Test("a JSON body has a schema, and no other body has one", arguments: ours)
    func jsonOnly(_ golden: GoldenTests.Golden) throws {
        let media = try WireFile(golden.testDescription).fields[.contentType]
        #expect((golden.schema != nil) == (media == MediaType.json.name))
    }

    struct Broken: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let schema: JSONSchema
        let body: String

        init<Message: JSONMessage>(_ name: String, _ message: Message.Type, _ body: String) {
            testDescription = name
            schema = message.schema
            self.body = body
        }
    }

    private static let hash = Samples.guidText

    private static let broken = [
        Broken("no object", TANResponse.self, #"["c5ad0d33-0c6f-4d4b-9bd4-7d6a0b2b8a11"]"#),
        Broken("a property that is missing", TANResponse.self, "{}"),
        Broken("null for what must be there", TANResponse.self, #"{"tan":null}"#),
        Broken("an upper-case TAN", TANResponse.self, #"{"tan":"C5AD0D33-0C6F-4D4B-9BD4-7D6A0B2B8A11"}"#),
        Broken("a TAN and more", TANResponse.self, #"{"tan":"c5ad0d33-0c6f-4d4b-9bd4-7d6a0b2b8a11\n"}"#),
        Broken("a result that apps don't know", TestResultResponse.self, #"{"testResult":10,"sc":0}"#),
        Broken("a result as text", TestResultResponse.self, #"{"testResult":"2","sc":0}"#),
        Broken("half a result", TestResultResponse.self, #"{"testResult":1.5,"sc":0}"#),
        Broken("no entry", TANOutcomes.self, #"{"outcomes":[]}"#),
        Broken("an unknown name", TANOutcomes.self, #"{"outcomes":["granted"]}"#),
        Broken("a position that can't be", TANOutcomes.self, #"{"outcomes":["GRANTED"],"confirmed":[256]}"#),
        Broken(
            "a GUID as a teleTAN", RegistrationTokenRequest.self, #"{"keyType":"TELETAN","key":"\#(hash)"}"#),
        Broken("an unknown type of key", RegistrationTokenRequest.self, #"{"keyType":"guid","key":"\#(hash)"}"#),
        Broken(
            "a date of birth that is no hash", RegistrationTokenRequest.self,
            #"{"keyType":"GUID","key":"\#(hash)","keyDob":"1990-05-26"}"#),
        Broken("a password that is no UUID", RedemptionRequest.self, #"{"otp":"\#(hash.prefix(36))"}"#),
        Broken(
            "a password of another version", RedemptionRequest.self, #"{"otp":"9a8b7c6d-5e4f-1a3b-8c2d-1e0f9a8b7c6d"}"#),
        Broken(
            "an unknown state", RedemptionAnswer.self,
            #"{"otp":"9a8b7c6d-5e4f-4a3b-8c2d-1e0f9a8b7c6d","state":"VALID","strongClientIntegrityCheck":true}"#),
        Broken("no redemption", ReportRedemptions.self, #"{"redemptions":[]}"#),
        Broken(
            "a redemption of what is no password", ReportRedemptions.self,
            #"{"redemptions":[{"otp":"\#(hash.prefix(36))","idempotencyKey":"8e03978e-40d5-43dd-bc93-6894a57f9324"}]}"#),
        Broken("no value for a redemption", RedeemedReports.self, #"{"redeemed":[]}"#),
        Broken(
            "an id that is no UUID", HealthReport.self,
            #"{"id":"","feelingSick":true,"hasBeenTested":true,"testResult":true,"lastUpdate":0}"#),
        Broken(
            "a number for an answer", HealthReport.self,
            #"{"id":"9a8b7c6d-5e4f-4a3b-8c2d-1e0f9a8b7c6d","feelingSick":1,"hasBeenTested":true,"testResult":true,"lastUpdate":0}"#
        ),
        Broken("a batch of none", HealthBatch.self, "[]"),
        Broken("a key's name in capitals", KeyAnswer.self, #"{"keyId":"000102030405060708090A0B0C0D0E0F"}"#),
        Broken("a date without a time", ExpirationAnswer.self, #"{"expirationDate":"2026-05-26"}"#),
    ]

    @Test("what breaks a contract breaks its schema", arguments: broken)
    func breaks(_ sample: Broken) throws {
        #expect(try !SchemaValidator(Data(sample.body.utf8), against: sample.schema).mistakes.isEmpty)
    }

    @Test("the body of each error code matches the schema of its route's refusals, and no other code's does")
    func errorCodes() throws {
        let all = DonationAPI.codesOnIOS.union(DonationAPI.codesOnAndroid)
        for codes in [DonationAPI.codesOnIOS, DonationAPI.codesOnAndroid] {
            let schema = ErrorCode.schema(of: codes)
            for code in all {
                let validator = try SchemaValidator(Data(code.body.utf8), against: schema)
                #expect(validator.mistakes.isEmpty == codes.contains(code))
                #expect(validator.unknown.isEmpty)
            }
        }
    }

    @Test("every fresh teleTAN, token and TAN matches its schema")
    func fresh() throws {
        var randomness = SystemRandomNumberGenerator()
        for _ in 0..<1000 {
            let code = try TeleTANResponse(
                TeleTAN(using: &randomness), validUntil: .random(in: 0...4_000_000_000), remaining: .random(in: 0...60)
            ).encodedBody()
            #expect(try SchemaValidator(code, against: TeleTANResponse.schema).mistakes.isEmpty)
            let tan = try TANResponse(TAN(RandomIdentifier(using: &randomness))).encodedBody()
            #expect(try SchemaValidator(tan, against: TANResponse.schema).mistakes.isEmpty)
        }
    }
}
