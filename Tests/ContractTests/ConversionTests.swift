import Credentials
import Foundation
import HTTPContract
import HTTPTypes
import TestResultAPI
import Testing

/// What Jackson converts for cwa-testresult-server is taken from laboratories as well, if it has one meaning.
@Suite struct ConversionTests {
    private static let guid = Samples.guidText

    private func batch(_ members: String, labID: String = "null") throws -> LabResults {
        let body = #"{"testResults":[{"id":"\#(Self.guid)",\#(members)}],"labId":\#(labID)}"#
        return try LabResults(fields: [:], body: Data(body.utf8))
    }

    @Test(
        "a whole number may be a text, or have a fraction of zero",
        arguments: ["7", #""7""#, #"" 7 ""#, #""07""#, #""+7""#, #""7\n""#, "7.0", "7e0"])
    func codes(written: String) throws {
        #expect(try batch(#""result":\#(written)"#).testResults[0].result == .quickPositive)
    }

    @Test(
        "a time may be a text or have a fraction, and a text without content is none",
        arguments: [
            ("1779796800", 1_779_796_800), (#""1779796800""#, 1_779_796_800), ("1779796800.999", 1_779_796_800),
            ("1.7797968e9", 1_779_796_800), (#""""#, nil), (#"" ""#, nil), ("null", nil),
        ] as [(String, Int32?)])
    func times(written: String, seconds: Int32?) throws {
        #expect(try batch(#""result":1,"sc":\#(written)"#).testResults[0].sampleCollected == seconds)
    }

    @Test(
        "a laboratory's name may be a whole number or a truth value",
        arguments: [("5", "5"), ("-5", "-5"), ("true", "true"), (#""5""#, "5"), (#""""#, ""), ("null", nil)]
            as [(String, String?)])
    func names(written: String, name: String?) throws {
        #expect(try batch(#""result":1"#, labID: written).labID == name)
    }
}
