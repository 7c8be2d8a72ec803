import COpenSSL
import Loop
import Testing

@testable import TLS

/// What happens on connections after the handshake.
@Suite struct StreamTests {
    private let authority: Authority

    init() throws {
        authority = try Authority()
    }

    /// An open connection.
    private func opened(_ prepare: (Stage) -> Void = { _ in }) throws -> Stage {
        let stage = Stage(
            try authority.material().client(), try authority.material().mutualServer().context)
        prepare(stage)
        try #require(stage.opens())
        stage.turn()
        return stage
    }

    private static func pattern(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    }

    @Test("bytes pass both ways, many at once and byte by byte")
    func bulk() throws {
        for atATime in [nil, 1, 1000] as [Int?] {
            let stage = try opened()
            stage.toServer.atATime = atATime
            let count = atATime == 1 ? 5000 : 1_000_000
            stage.client.write(Self.pattern(count))
            stage.server.write(Self.pattern(count))
            #expect(
                stage.turns {
                    stage.serverHandler.received.count == count && stage.clientHandler.received.count == count
                })
            #expect(stage.serverHandler.received == Self.pattern(count))
            #expect(stage.clientHandler.received == Self.pattern(count))
        }
    }

    @Test("what is written together is one record, up to 16 KiB, in however many pieces it comes")
    func oneRecord() throws {
        let stage = try opened()
        let before = stage.toClient.records.count
        stage.server.write([UInt8](repeating: 1, count: 124))
        stage.server.write([UInt8](repeating: 1, count: 900))
        #expect(stage.turns { stage.clientHandler.received.count == 1024 })
        // With the type of content and the tag.
        #expect(stage.toClient.records.dropFirst(before).map(\.count) == [1024 + 1 + 16])
        stage.server.write([UInt8](repeating: 1, count: 384))
        stage.server.write([UInt8](repeating: 1, count: 16_000))
        #expect(stage.turns { stage.clientHandler.received.count == 1024 + 16_384 })
        #expect(stage.toClient.records.dropFirst(before + 1).map(\.count) == [16_384 + 1 + 16])
    }

    @Test("when bytes arrived is when they came off the socket")
    func arrival() throws {
        let stage = try opened()
        stage.core.advance(by: .seconds(1))
        let moment = stage.core.now
        stage.client.write([1])
        #expect(stage.turns { !stage.serverHandler.received.isEmpty })
        #expect(stage.serverHandler.arrivals == [moment])
    }

    @Test("closing says so in TLS, and the other side sees the end of input")
    func close() throws {
        let stage = try opened()
        stage.server.write(Self.pattern(100_000))
        stage.server.close()
        #expect(stage.turns { stage.clientHandler.end != nil && stage.serverHandler.end != nil })
        #expect(stage.clientHandler.received == Self.pattern(100_000))
        #expect(stage.clientHandler.inputEnds == 1)
        #expect(stage.clientHandler.end == .closed)
        #expect(stage.serverHandler.end == .closed)
    }

    @Test("after the other side's end a connection can still answer")
    func halfClose() throws {
        let stage = try opened()
        stage.serverHandler.whenInputEnds = { _ in }
        stage.client.write(Array("question".utf8))
        #expect(stage.turns { stage.serverHandler.text == "question" })
        // A client that says it sends no more, but reads on.
        #expect(SSL_shutdown(stage.clientTLS) == 0)
        #expect(stage.turns { stage.serverHandler.inputEnds == 1 })
        #expect(stage.serverHandler.ends == [])
        stage.server.write(Array("answer".utf8))
        stage.server.close()
        #expect(stage.turns { stage.clientHandler.text == "answer" })
    }

    @Test("hanging up without saying so is no end of input")
    func truncated() throws {
        let stage = try opened()
        stage.client.write(Array("half a requ".utf8))
        #expect(stage.turns { !stage.serverHandler.received.isEmpty })
        stage.cut()
        #expect(stage.turns { stage.serverHandler.end != nil })
        #expect(stage.serverHandler.ends == [.truncated])
        #expect(stage.serverHandler.inputEnds == 0)
    }

    @Test("lingering keeps no TLS")
    func lingering() throws {
        let stage = try opened()
        stage.clientHandler.whenInputEnds = { _ in }
        #expect(stage.server.isSecure)
        stage.server.close()
        #expect(stage.turns { stage.clientHandler.inputEnds == 1 })
        #expect(!stage.server.isSecure)
        #expect(stage.serverHandler.ends == [])
        stage.core.advance(by: .seconds(1))
        #expect(stage.serverHandler.ends == [.closed])
    }

    @Test("requests that came together are all answered, although each answer blocks")
    func stall() throws {
        let stage = try opened()
        let request = 100
        let answer = 1_000_000
        var answered = 0
        stage.server.outputMark = (high: 10_000, low: 1000)
        stage.serverHandler.takes = { $0 >= request ? request : 0 }
        stage.serverHandler.whenReceived = { connection in
            answered += 1
            connection.write([UInt8](repeating: UInt8(answered), count: answer))
        }
        stage.toServer.isHeld = true
        // Ten records.
        for _ in 0..<10 {
            stage.client.write([UInt8](repeating: 7, count: request))
            stage.client.flush()
        }
        stage.turn()
        stage.client.pauseReading()
        stage.release()
        stage.turn(100)
        #expect(answered < 10)
        stage.client.resumeReading()
        #expect(stage.turns { stage.clientHandler.received.count == 10 * answer })
        #expect(answered == 10)
    }

    /// Sends a message that changes the client's keys.
    private func changeKeys(_ stage: Stage, asking: Bool) -> Bool {
        SSL_key_update(stage.clientTLS, asking ? SSL_KEY_UPDATE_REQUESTED : SSL_KEY_UPDATE_NOT_REQUESTED) == 1
            && SSL_do_handshake(stage.clientTLS) == 1
    }

    @Test("a few changes of keys are in order, with and without an answer", arguments: [true, false])
    func keyUpdates(asking: Bool) throws {
        let stage = try opened()
        for number in 1...TLSContext.mostKeyUpdates {
            #expect(changeKeys(stage, asking: asking))
            stage.client.write([UInt8(number)])
            #expect(stage.turns { stage.serverHandler.received.count == number || stage.serverHandler.end != nil })
        }
        stage.server.write([1])
        #expect(stage.turns { stage.clientHandler.received == [1] })
        #expect(stage.serverHandler.ends == [])
    }

    @Test("a flood of changes of keys ends the connection", arguments: [true, false])
    func keyUpdateFlood(asking: Bool) throws {
        let stage = try opened()
        stage.toServer.isHeld = true
        var sent = 0
        for _ in 0..<1000 where changeKeys(stage, asking: asking) { sent += 1 }
        #expect(sent > TLSContext.mostKeyUpdates)
        stage.release()
        #expect(stage.turns { stage.serverHandler.end != nil })
        #expect(stage.serverHandler.inputEnds == 0)
    }

    @Test("renegotiation is refused")
    func renegotiation() throws {
        let old = try authority.anonymous()
        shim_SSL_CTX_set_max_proto_version(old.pointer, TLS1_2_VERSION)
        SSL_CTX_clear_options(old.pointer, shim_SSL_OP_NO_RENEGOTIATION)
        let stage = Stage(old, try authority.material().publicServer(protocols: []))
        #expect(stage.opens())
        stage.turn()
        #expect(SSL_renegotiate(stage.clientTLS) == 1)
        SSL_do_handshake(stage.clientTLS)
        // OpenSSL's client gives up when it is told so (RFC 5246, 7.2.2).
        #expect(stage.turns { stage.clientHandler.end != nil })
        #expect(stage.clientHandler.failure == "no renegotiation")
    }

    @Test("no ticket is given out, and no session can be resumed", arguments: [true, false])
    func noTickets(isNew: Bool) throws {
        let context = try authority.anonymous()
        SSL_CTX_clear_options(context.pointer, shim_SSL_OP_NO_TICKET)
        if !isNew { shim_SSL_CTX_set_max_proto_version(context.pointer, TLS1_2_VERSION) }
        let server = try authority.material().publicServer(protocols: [])
        let stage = Stage(context, server)
        #expect(stage.opens())
        stage.server.write([1])
        #expect(stage.turns { stage.clientHandler.received == [1] })
        let session = try #require(SSL_get1_session(stage.clientTLS))
        defer { SSL_SESSION_free(session) }
        #expect(SSL_SESSION_has_ticket(session) == 0)
        let again = Stage(context, server)
        SSL_set_session(again.clientTLS, session)
        #expect(again.opens())
        #expect(SSL_session_reused(again.serverTLS) == 0)
        #expect(SSL_CTX_ctrl(server.pointer, SSL_CTRL_SESS_NUMBER, 0, nil) == 0)
    }
}
