import CNghttp2
import Glibc
import HTTPMessage
import HTTPTypes
import Testing

@testable import HTTP2

/// The library's memory, of which one allocation fails: the one at which the number that the context points to gets below 0.
private func memory(_ left: UnsafeMutablePointer<Int>) -> nghttp2_mem {
    nghttp2_mem(
        mem_user_data: left,
        malloc: { fails($1) ? nil : malloc($0) },
        free: { address, _ in free(address) },
        calloc: { fails($2) ? nil : calloc($0, $1) },
        realloc: { fails($2) ? nil : realloc($0, $1) })
}

private func fails(_ context: UnsafeMutableRawPointer?) -> Bool {
    guard let left = context?.assumingMemoryBound(to: Int.self) else { return true }
    left.pointee -= 1
    return left.pointee == -1
}

@Suite("Without memory for the library")
struct MemoryTests {
    /// What a client sends first, with one request.
    private func greeting() throws -> [UInt8] {
        let client = try Endpoint(.client)
        var bytes: [UInt8] = []
        client.session.drain(into: &bytes)
        try client.session.receive(Frame(type: Frame.settings, payload: []).bytes.span)
        _ = try client.submit()
        client.session.drain(into: &bytes)
        return bytes
    }

    @Test(
        "an allocation that fails inside the library ends the session, and no request waits for ever",
        arguments: [false, true])
    func failing(encodesApart: Bool) throws {
        let padding = try HTTP2Padding(length: 1024, name: try #require(HTTPField.Name("cwa-header-padding")))
        let greeting = try greeting()
        let left = UnsafeMutablePointer<Int>.allocate(capacity: 1)
        defer { left.deallocate() }
        var unborn = 0
        var ended = 0
        for number in 0..<1000 {
            left.pointee = number
            var limits = HTTP2Limits()
            limits.usesTables = !encodesApart
            let bucket = EffortBucket(capacity: limits.effort, perSecond: limits.effortPerSecond)
            guard
                let session = try? HTTP2Session(.server, limits: limits, bucket: bucket, memory: memory(left))
            else {
                unborn += 1
                continue
            }
            var apart: [UInt8] = []
            let recorder = Recorder()
            session.delegate = recorder
            recorder.onEnd = { [unowned session] in
                if encodesApart {
                    let bytes = session.encodeResponse(
                        $0, status: .ok, fields: FieldLines(), body: [1, 2, 3], padding: padding)
                    apart = bytes?.count == padding.length ? bytes ?? [] : []
                } else {
                    session.submitResponse($0, status: .ok, fields: FieldLines(), body: .bytes([1, 2, 3]))
                }
            }
            try? session.receive(greeting.span)
            var output: [UInt8] = []
            session.drain(into: &output)
            let isAnswered = Frame.all(in: output + apart).contains { $0.stream == 1 && $0.flags & 1 != 0 }
            #expect(isAnswered || session.isFinished, "allocation \(number)")
            if !isAnswered { ended += 1 }
            if left.pointee >= 0 { break }
        }
        // Each has some allocations of its own, and all were tried.
        #expect(unborn > 2)
        #expect(ended > 2)
        #expect(left.pointee >= 0)
    }
}
