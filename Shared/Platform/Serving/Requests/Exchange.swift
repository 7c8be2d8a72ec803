import HTTPContract
import HTTPTypes
package import HummingbirdCore
package import NIOCore
import NIOHTTP1

/// One request on its way to an answer, for responders that work below ``Endpoint``: the metadata proxy and the file
/// server.
package struct Exchange: Sendable {
    /// Hummingbird's request. Its body is read by ``body(upTo:)`` only, which keeps time and limit.
    package let request: Request
    /// Who asks, by certificate; ``Caller/anonymous`` on listeners that ask for none.
    package let caller: Caller
    /// Where the connection comes from, for limits by address. It may reach no log, metric, error or inner request.
    package let remoteAddress: SocketAddress?
    let watch: RequestWatch

    /// The path without its query, as it was sent; it is not percent-decoded.
    package var path: Substring {
        let target = request.head.path ?? ""
        return target.prefix { $0 != "?" }
    }

    /// The query without its `?`, as it was sent; empty where there is none.
    package var query: Substring {
        (request.head.path ?? "").drop { $0 != "?" }.dropFirst()
    }

    /// Reads the whole body.
    ///
    /// - Parameter limit: in bytes. A larger `Content-Length` is refused before anything is read, a body without honest
    ///   length as soon as it exceeds the limit.
    /// - Throws: ``Problem/contentTooLarge``; ``MalformedMessage`` when there are fewer bytes than announced;
    ///   ``ConnectionLost`` when the connection fails, or the body takes longer than ``Limits/body`` (the answer, 408, is
    ///   then already sent).
    package func body(upTo limit: Int) async throws -> ByteBuffer {
        let announced = request.headers[.contentLength].flatMap { Int($0) }
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
            // The server answers 400 to what is not HTTP and closes the connection.
            throw error
        } catch {
            throw ConnectionLost()
        }
        if let announced, announced != body.readableBytes { throw MalformedMessage() }
        watch.bodyArrived()
        return body
    }

    /// Reads and drops a small body, so that the connection can carry another request after a refusal.
    func discardBody() async throws {
        guard !watch.isBodyBegun, let announced = request.headers[.contentLength].flatMap({ Int($0) }),
            announced <= 64 * 1024
        else { return }
        _ = try await body(upTo: announced)
    }
}

/// The connection failed, or was closed, before the whole request arrived.
package struct ConnectionLost: Error {}
