import Calling
import Credentials
import HTTPContract
import TestSupport
import Testing
import VerificationAPI

@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct DoorTests {
    @Test("occupying all connections of the portal's listener doesn't affect uploads")
    func full() async throws {
        try await VerificationStage.run(settings: ["portal.connections": "1"]) { stage in
            try await stage.rawPortal(.certificateServer) { holder in
                // The connection stays open while its owner thinks about the next request.
                #expect(try await holder.post("/version/v1/testresult", "{}").status == 400)

                // The control: the door is full.
                let late = try ServiceClient(
                    base: stage.portalBase, tls: try stage.certificates.files(role: .portal), name: "late",
                    deadline: .milliseconds(500))
                await #expect(throws: CallError.unavailable) {
                    try await late.call(
                        VerificationAPI.teleTAN,
                        TeleTANRequest(officerToken: try stage.officers.token(), kind: .test))
                }
                await late.close()
                let tan = try await stage.freshTAN()
                #expect(try await stage.reserve(tan, .tag(1)) == .granted)
            }
        }
    }
}
