import Credentials
import Foundation
import FurtherAPI
import HTTPContract
import TestResultAPI
import Testing
import VerificationAPI

/// The values in the golden files.
struct Samples {
    static let guidText = "cdc274c49e7f9bac6b64445e30fb2ff90bb14b9c44ffe5c90332d06cbc0a45e4"

    let guid: HashedGUID
    let teleTAN: TeleTAN
    let token: RegistrationToken
    let tan: TAN
    let otherTAN: TAN
    /// Of a self-report.
    let password: TAN
    let tag: Digest
    let otherTag: Digest
    let ids: [ResultID]
    let centreIDs: [CentreTestID]
    let keyName: KeyName
    let healthReport: SignedMessage<HealthReport>
    let healthBatch: SignedMessage<HealthBatch>

    init() throws {
        guid = try #require(HashedGUID(Self.guidText))
        teleTAN = try #require(TeleTAN("FE9A5MAK6C"))
        token = try #require(RegistrationToken("63b4d3ff-e0de-4bd4-90c1-17c2bb683a2f"))
        tan = try #require(TAN("c5ad0d33-0c6f-4d4b-9bd4-7d6a0b2b8a11"))
        otherTAN = try #require(TAN("0f1e2d3c-4b5a-4978-8695-a4b3c2d1e0ff"))
        password = try #require(TAN("9a8b7c6d-5e4f-4a3b-8c2d-1e0f9a8b7c6d"))
        tag = try #require(Digest(hex: String(repeating: "ab", count: 32)))
        otherTag = try #require(Digest(hex: String(repeating: "0123456789abcdef", count: 4)))
        let shapes = [Self.guidText, "x" + Self.guidText.dropFirst(), Self.guidText.uppercased()]
        ids = try shapes.map { try #require(ResultID($0)) }
        centreIDs = try shapes.map { try #require(CentreTestID($0)) }
        keyName = try #require(KeyName("000102030405060708090a0b0c0d0e0f"))
        let reports = try (0..<14).map { number in
            let id = try #require(UUID(uuidString: "9a8b7c6d-5e4f-4a3b-8c2d-1e0f9a8b7c0" + String(number, radix: 16)))
            return HealthReport(
                id: id, feelingSick: number < 3, hasBeenTested: true, testResult: number < 3,
                lastUpdate: 1_779_796_800.25)
        }
        healthReport = try SignedMessage(reports[0])
        healthBatch = try SignedMessage(try #require(HealthBatch(reports)))
    }
}
