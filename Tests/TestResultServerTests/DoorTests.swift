import Calling
import Credentials
import HTTPContract
import TestResultAPI
import TestSupport
import Testing

@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct DoorTests {
    @Test("occupying all connections of the laboratories' listener doesn't affect phones")
    func full() async throws {
        try await ResultStage.run(settings: ["laboratories.connections": "1"]) { stage in
            let port = try #require(stage.doorBase.split(separator: ":").last.flatMap { Int($0) })
            let tls = try stage.certificates.files(role: .quickTest).caller
            try await RawTLSConnection.open(port: port, tls: tls) { holder in
                // The connection stays open while its owner thinks about the next request.
                try await holder.write(
                    """
                    POST /api/v1/quicktest/results HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r
                    Content-Length: 2\r\n\r\n{}
                    """)
                #expect(await String(decoding: holder.read(), as: UTF8.self).hasPrefix("HTTP/1.1 400 "))

                // The control: the door is full.
                let late = try ServiceClient(
                    base: stage.doorBase, tls: try stage.certificates.files(role: .lab), name: "late",
                    deadline: .milliseconds(500))
                await #expect(throws: CallError.self) {
                    try await late.call(
                        TestResultAPI.labResults, LabResults(testResults: [.numbered(1)], labID: nil))
                }
                await late.close()
                #expect(try await stage.ask(.numbered(1)).testResult == .pcrPending)
            }
            // The door is only full as long as somebody holds it.
            try await stage.post([.numbered(1, .pcrPositive)])
            #expect(try await stage.ask(.numbered(1)).testResult == .pcrPositive)
        }
    }
}
