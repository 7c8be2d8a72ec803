import HTTPContract
import HTTPTypes
package import HummingbirdCore
package import NIOCore
import NIOHTTP1

/// One request in progress, for responders below the level of `Endpoint`, such as pages.
package struct Exchange: Sendable {
    /// Hummingbird's request. Read its body only with ``body(upTo:)``, which enforces the timeout and the limit.
    package let request: Request
    /// The caller according to its certificate; ``Caller/anonymous`` on listeners that require none.
    package let caller: Caller
    /// The connection's remote address, for limits by address. It must not reach a log, metric, error or inner request.
    package let remoteAddress: SocketAddress?
    let watch: RequestWatch

    /// The path without its query, as sent and not percent-decoded.
    package var path: Substring {
        let target = request.head.path ?? ""
        return target.prefix { $0 != "?" }
    }

    /// The query without its `?`, as sent; empty if there is none.
    package var query: Substring {
        (request.head.path ?? "").drop { $0 != "?" }.dropFirst()
    }

    private var announcedLength: Int? { request.headers.only(.contentLength).flatMap { Int($0) } }

    /// Reads the whole body.
    ///
    /// - Parameter limit: in bytes. A larger `Content-Length` is refused before anything is read; a body without a correct
    ///   length is refused as soon as it exceeds the limit.
    /// - Throws: `Problem.contentTooLarge`; `MalformedMessage` if there are fewer bytes than announced; ``ConnectionLost``
    ///   if the connection fails, or if the body takes longer than ``Limits/body`` (the answer, 408, has already been sent
    ///   then).
    package func body(upTo limit: Int) async throws -> ByteBuffer {
        let announced = announcedLength
        if let announced, announced > limit { throw Problem.contentTooLarge }
        watch.bodyBegins()
        var body = ByteBuffer()
        var chunks = request.body.makeAsyncIterator()
        do {
            while let chunk = try await chunks.next() {
                guard body.readableBytes + chunk.readableBytes <= limit else { throw Problem.contentTooLarge }
                if body.readableBytes == 0 {
                    body = chunk
                } else {
                    body.writeImmutableBuffer(chunk)
                }
            }
        } catch let problem as Problem {
            throw problem
        } catch let error as HTTPParserError {
            // The server answers bytes that aren't HTTP with 400 and closes the connection.
            throw error
        } catch {
            throw ConnectionLost()
        }
        if let announced, announced != body.readableBytes { throw MalformedMessage() }
        watch.bodyArrived()
        return body
    }

    /// Reads and discards a small body, so that the connection can be reused after a refusal.
    func discardBody() async throws {
        guard !watch.isBodyBegun, let announcedLength, announcedLength <= 64 * 1024 else { return }
        _ = try await body(upTo: announcedLength)
    }
}

/// The connection failed or was closed before the whole request arrived.
package struct ConnectionLost: Error {
    /// For a handler that closes the connection instead of answering.
    package init() {}
}
