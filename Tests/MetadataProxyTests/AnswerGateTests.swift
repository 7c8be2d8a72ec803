import NIOCore
import NIOEmbedded
import Testing

@testable import MetadataProxy

@Suite struct AnswerGateTests {
    private let gate = AnswerGate()
    private let channel: EmbeddedChannel

    init() throws {
        channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandler(gate)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    private func answer() -> ByteBuffer {
        gate.collect {
            channel.write(ByteBuffer(repeating: 1, count: 9), promise: nil)
            channel.writeAndFlush(ByteBuffer(repeating: 2, count: AnswerEncoder.length - 9), promise: nil)
        }
    }

    @Test("the pieces of an answer leave together, when it is released and not before")
    func pieces() throws {
        let bytes = answer()
        #expect(try channel.readOutbound(as: ByteBuffer.self) == nil)
        gate.release(bytes)
        #expect(try channel.readOutbound(as: ByteBuffer.self)?.readableBytes == AnswerEncoder.length)
        #expect(try channel.readOutbound(as: ByteBuffer.self) == nil)
    }

    @Test("bytes that belong to no answer pass at once")
    func others() throws {
        let bytes = answer()
        try channel.writeOutbound(ByteBuffer(string: "ping"))
        #expect(try channel.readOutbound(as: ByteBuffer.self) == ByteBuffer(string: "ping"))
        gate.release(bytes)
    }

    @Test("a connection closes when the last answer has left")
    func close() throws {
        let first = answer()
        let second = answer()
        channel.close(promise: nil)
        gate.release(first)
        #expect(channel.isActive)
        gate.release(second)
        channel.embeddedEventLoop.run()
        #expect(!channel.isActive)
        #expect(try channel.readOutbound(as: ByteBuffer.self)?.readableBytes == AnswerEncoder.length)
        #expect(try channel.readOutbound(as: ByteBuffer.self)?.readableBytes == AnswerEncoder.length)
    }

    @Test("an answer that the client can take only in part does not leave, and the connection closes")
    func incomplete() throws {
        let part = gate.collect { channel.writeAndFlush(ByteBuffer(repeating: 1, count: 500), promise: nil) }
        gate.release(part)
        channel.embeddedEventLoop.run()
        #expect(!channel.isActive)
        #expect(try channel.readOutbound(as: ByteBuffer.self) == nil)
    }
}
