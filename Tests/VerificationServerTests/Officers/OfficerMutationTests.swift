import Foundation
import HTTPContract
import TestSupport
import Testing

/// An officer's token is parsed before its signature is verified, and its claims come from whoever can sign: a modified token
/// must end in a teleTAN or a refusal, never in a crash.
@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct OfficerMutationTests {
    private static let header = #"{"alg":"ES256","typ":"JWT","kid":"sig-1"}"#
    private static let claims =
        #"{"iss":"\#(OfficerTokens.issuer)","aud":["\#(OfficerTokens.audience)"],"exp":1779800000,"nbf":1779796000,"#
        + #""realm_access":{"roles":["c19hotline"]},"sub":"officer"}"#

    enum Part: CaseIterable { case header, claims, token }

    @Test("a modified valid token ends in a teleTAN or a refusal", arguments: Part.allCases)
    func mutations(part: Part) async throws {
        try await VerificationStage.run(settings: ["teleTAN.officerHourlyLimit": "10000"]) { stage in
            var randomness = SeededGenerator(seed: 0x6f66_6669_6365)
            let good = try stage.officers.token(json: Self.claims, header: Self.header, signature: .right)
            try await stage.rawPortal(.portal) { client in
                func ask(_ token: String) async throws -> Int {
                    try await client.send(
                        "POST", "/version/v1/tan/teletan", fields: ["authorization": "Bearer \(token)"]
                    ).status
                }
                #expect(try await ask(good) == 201)
                var refused = 0
                for _ in 0..<200 {
                    let token: String
                    switch part {
                    case .header:
                        token = try stage.officers.token(
                            json: Self.claims, header: Self.header.mutated(using: &randomness), signature: .right)
                    case .claims:
                        token = try stage.officers.token(
                            json: Self.claims.mutated(using: &randomness), header: Self.header, signature: .right)
                    case .token:
                        // What HTTP lets through.
                        token = good.mutated(using: &randomness).filter { $0.isASCII && $0 > " " && $0 != "\u{7F}" }
                    }
                    let status = try await ask(token)
                    #expect([201, 400, 401].contains(status), "\(token)")
                    if status != 201 { refused += 1 }
                }
                #expect(refused > 100)
                #expect(try await ask(good) == 201)
            }
        }
    }
}
