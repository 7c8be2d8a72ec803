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
            let port = try #require(stage.portalBase.split(separator: ":").last.flatMap { Int($0) })
            let tls = try stage.certificates.files(role: .certificateServer).caller
            try await RawTLSConnection.open(port: port, tls: tls) { holder in
                // The connection stays open while its owner thinks about the next request.
                try await holder.write(
                    """
                    POST /version/v1/testresult HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r
                    Content-Length: 2\r\n\r\n{}
                    """)
                #expect(await String(decoding: holder.read(), as: UTF8.self).hasPrefix("HTTP/1.1 400 "))

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
