import HTTPTypes
import Loop
import Testing

@testable import MetadataProxy

/// When a connection times out.
@Suite struct ConnectionTimeoutsTests {
    private static let success = reply(.created, "{}")

    @Test("a client that sends only refused requests, every six seconds, is disconnected after a minute")
    func life() throws {
        let stage = try CoreStage()
        for _ in 0..<9 {
            stage.wait(.seconds(6))
            stage.send(CoreStage.unknown)
            #expect(!stage.client.hasEnded)
        }
        stage.wait(.seconds(5))
        stage.send(CoreStage.unknown)
        #expect(!stage.client.hasEnded)
        stage.wait(.seconds(2))
        #expect(stage.client.hasEnded)
    }

    @Test("an admitted request extends the connection by a minute, also on HTTP/2", arguments: [false, true])
    func admitted(http2: Bool) throws {
        let stage = try CoreStage(http2: http2)
        let client = http2 ? try HTTP2Client(stage) : nil
        for _ in 0..<20 {
            stage.wait(.seconds(6))
            if let client {
                try client.submit()
                client.flush()
            } else {
                stage.send(CoreStage.post())
            }
            stage.server.admitted.last?.received(.success(Self.success))
            #expect(!stage.client.hasEnded)
        }
        stage.wait(.seconds(9))
        #expect(!stage.client.hasEnded)
        // HTTP/2 says that it takes no more streams, and closes two seconds later.
        stage.wait(.seconds(http2 ? 4 : 2))
        #expect(stage.client.hasEnded)
    }

    @Test("on HTTP/2 refused requests don't extend it either, also beside streams that are open")
    func lifeOfStreams() throws {
        let stage = try CoreStage(http2: true)
        let client = try HTTP2Client(stage)
        for _ in 0..<9 {
            stage.wait(.seconds(6))
            try client.submit("/x", body: nil)
            client.flush()
        }
        #expect(!client.takeFrames().contains { $0.type == 7 })
        stage.wait(.seconds(5))
        try client.submit("/x", body: nil)
        client.flush()
        stage.wait(.seconds(4))
        #expect(client.takeFrames().contains { $0.type == 7 })
        #expect(stage.client.hasEnded)
    }

    @Test("an idle client is disconnected after ten seconds", arguments: [false, true])
    func idle(http2: Bool) throws {
        let stage = try CoreStage(http2: http2)
        stage.wait(.seconds(9))
        #expect(!stage.client.hasEnded)
        stage.wait(.seconds(http2 ? 4 : 2))
        #expect(stage.client.hasEnded)
    }
}
