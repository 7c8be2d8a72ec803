import CCurl
import Dispatch
import Glibc

/// A connection with TLS by libcurl, over which a test writes what an HTTP client wouldn't, and which is never replaced.
package final class RawTLSConnection: @unchecked Sendable {
    // `@unchecked Sendable`: only the queue uses the handle.

    private let handle: UnsafeMutableRawPointer
    private let queue = DispatchQueue(label: "raw TLS connection")

    private init(port: Int, tls: ClientTLS) throws {
        guard let handle = curl_easy_init() else { throw CallFailure(reason: "no handle") }
        self.handle = handle
        vigil_curl_set_text(handle, CURLOPT_URL, "https://localhost:\(port)")
        vigil_curl_set_text(handle, CURLOPT_NOPROXY, "*")
        vigil_curl_set_number(handle, CURLOPT_CONNECT_ONLY, 1)
        vigil_curl_set_number(handle, CURLOPT_NOSIGNAL, 1)
        vigil_curl_set_number(handle, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
        tls.configure(handle)
        let code = curl_easy_perform(handle)
        guard code == CURLE_OK else { throw CallFailure(reason: String(cString: curl_easy_strerror(code))) }
    }

    deinit { curl_easy_cleanup(handle) }

    /// Writes text.
    package func write(_ text: String) async throws {
        let bytes = Array(text.utf8)
        try await run { connection in
            var sent = 0
            while sent < bytes.count {
                var count = 0
                let code = bytes[sent...].withUnsafeBytes {
                    curl_easy_send(connection.handle, $0.baseAddress, $0.count, &count)
                }
                try connection.check(code, waitingFor: POLLOUT)
                sent += count
            }
        }
    }

    /// Ends the connection with a reset, as a browser that is closed may.
    package func reset() async throws {
        try await run { connection in
            var socket: curl_socket_t = -1
            vigil_curl_get_socket(connection.handle, &socket)
            dissolve(socket)
        }
    }

    /// The next bytes that the server sends; none at the end.
    package func read() async -> [UInt8] {
        let bytes = try? await run { connection in
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                var count = 0
                let code = curl_easy_recv(connection.handle, &buffer, buffer.count, &count)
                if code == CURLE_OK { return Array(buffer.prefix(count)) }
                try connection.check(code, waitingFor: POLLIN)
            }
        }
        return bytes ?? []
    }

    /// Waits if the call has to be repeated later.
    private func check(_ code: CURLcode, waitingFor events: Int32) throws {
        if code == CURLE_OK { return }
        guard code == CURLE_AGAIN else { throw CallFailure(reason: String(cString: curl_easy_strerror(code))) }
        var socket: curl_socket_t = -1
        vigil_curl_get_socket(handle, &socket)
        var waiting = pollfd(fd: socket, events: Int16(events), revents: 0)
        // A test that waits longer has failed.
        guard poll(&waiting, 1, 60_000) > 0 else { throw CallFailure(reason: "nothing came") }
    }

    private func run<R: Sendable>(_ work: @escaping @Sendable (RawTLSConnection) throws -> R) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { [self] in continuation.resume(with: Result { try work(self) }) }
        }
    }

    /// Calls `body` with a connection to localhost, which ends afterwards.
    package static func open<Result>(
        port: Int, tls: ClientTLS, _ body: (RawTLSConnection) async throws -> Result
    ) async throws -> Result {
        try await body(RawTLSConnection(port: port, tls: tls))
    }
}
