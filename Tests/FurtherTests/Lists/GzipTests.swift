import CZlib
import Foundation
import Testing

@testable import Further

struct GzipTests {
    @Test(arguments: [0, 1, 1 << 20 - 1, 1 << 20, 1 << 20 + 1, 3_500_000])
    func `what is compressed in pieces is one stream`(_ count: Int) throws {
        let repeating = (0..<count).map { UInt8(truncatingIfNeeded: $0 % 251) }
        #expect(try gunzip(Gzip.compress(repeating)) == repeating)
        let random = [UInt8](Data((0..<count).lazy.map { _ in UInt8.random(in: 0 ... .max) }))
        #expect(try gunzip(Gzip.compress(random)) == random)
    }

    @Test func `more pieces than are compressed at a time are one stream`() throws {
        let piece = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 % 251) }
        let content = (0..<17).reduce(into: [UInt8]()) { content, number in content += piece + [number] }
        #expect(try gunzip(Gzip.compress(content)) == content)
    }

    @Test func `the same content is the same file, and a damaged one is noticed`() throws {
        let content = Array(repeating: Array("a list of reports ".utf8), count: 100_000).flatMap { $0 }
        var compressed = try Gzip.compress(content)
        #expect(compressed == (try Gzip.compress(content)))
        #expect(compressed.count < content.count / 50)
        compressed[compressed.count / 2] ^= 1
        #expect(throws: NotGzip.self) { try gunzip(compressed) }
    }
}

struct NotGzip: Error {}

/// Reads one gzip stream that fills the input, checksum and length included.
func gunzip(_ bytes: [UInt8]) throws -> [UInt8] {
    var stream = z_stream()
    // 16 more window bits: a gzip head must come first, and the trailer is checked.
    guard inflateInit2_(&stream, MAX_WBITS + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
        throw NotGzip()
    }
    defer { inflateEnd(&stream) }
    var (input, output, piece) = (bytes, [UInt8](), [UInt8](repeating: 0, count: 1 << 20))
    return try input.withUnsafeMutableBufferPointer { source in
        stream.next_in = UnsafePointer(source.baseAddress)
        stream.avail_in = UInt32(source.count)
        while true {
            let (status, count) = piece.withUnsafeMutableBufferPointer { target in
                stream.next_out = target.baseAddress
                stream.avail_out = UInt32(target.count)
                let status = inflate(&stream, Z_NO_FLUSH)
                return (status, target.count - Int(stream.avail_out))
            }
            output += piece[..<count]
            if status == Z_STREAM_END { break }
            guard status == Z_OK else { throw NotGzip() }
        }
        guard stream.avail_in == 0 else { throw NotGzip() }
        return output
    }
}
