import CCurl
import Foundation
import Synchronization

/// One request by libcurl, on a connection and a thread of its own: what proves the server right shares no code with it.
final class CurlCall: @unchecked Sendable {
    // `@unchecked Sendable`: one thread uses it, and afterwards its caller; `isCancelled` is atomic.

    let method: String
    let url: String
    let headers: [(String, String)]
    let body: Body
    let tls: ClientTLS?
    let http2: Bool
    let seconds: Int

    enum Body {
        case none
        case bytes([UInt8])
        /// A thousand times, in chunks.
        case endless([UInt8])
    }

    /// An answer.
    struct Answer {
        var status = 0
        var fields: [(name: String, value: String)] = []
        var body: [UInt8] = []
        var isHTTP2 = false
    }

    private var answer = Answer()
    private var chunksLeft = 1000
    private var list: UnsafeMutablePointer<curl_slist>?
    private let isCancelled = Atomic(false)

    init(
        _ method: String, _ url: String, headers: [(String, String)], body: Body, tls: ClientTLS?, http2: Bool,
        seconds: Int
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.tls = tls
        self.http2 = http2
        self.seconds = seconds
    }

    /// Sends the request.
    ///
    /// - Throws: ``CallFailure``.
    func run() async throws -> Answer {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                Thread.detachNewThread { continuation.resume(with: Result { try self.perform() }) }
            }
        } onCancel: {
            isCancelled.store(true, ordering: .relaxed)
        }
    }

    private func perform() throws -> Answer {
        guard let handle = curl_easy_init() else { throw CallFailure(reason: "no handle") }
        defer {
            curl_easy_cleanup(handle)
            curl_slist_free_all(list)
        }
        configure(handle)
        tls?.configure(handle)
        let content: [UInt8] = if case .bytes(let bytes) = body { bytes } else { [] }
        let code = content.withUnsafeBytes { bytes in
            configureBody(handle, bytes)
            return curl_easy_perform(handle)
        }
        guard code == CURLE_OK else { throw CallFailure(reason: String(cString: curl_easy_strerror(code))) }
        var number = 0
        vigil_curl_get_number(handle, CURLINFO_RESPONSE_CODE, &number)
        answer.status = number
        vigil_curl_get_number(handle, CURLINFO_HTTP_VERSION, &number)
        answer.isHTTP2 = number == 3
        return answer
    }

    private var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    private func configure(_ handle: UnsafeMutableRawPointer) {
        vigil_curl_set_text(handle, CURLOPT_URL, url)
        vigil_curl_set_text(handle, CURLOPT_CUSTOMREQUEST, method)
        if method == "HEAD" { vigil_curl_set_number(handle, CURLOPT_NOBODY, 1) }
        vigil_curl_set_text(handle, CURLOPT_NOPROXY, "*")
        vigil_curl_set_number(handle, CURLOPT_PATH_AS_IS, 1)
        vigil_curl_set_number(handle, CURLOPT_NOSIGNAL, 1)
        vigil_curl_set_number(handle, CURLOPT_FRESH_CONNECT, 1)
        vigil_curl_set_number(handle, CURLOPT_FORBID_REUSE, 1)
        vigil_curl_set_number(handle, CURLOPT_CONNECTTIMEOUT, 30)
        vigil_curl_set_number(handle, CURLOPT_TIMEOUT, seconds)
        vigil_curl_set_number(
            handle, CURLOPT_HTTP_VERSION, http2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1)
        vigil_curl_set_callback(handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            CurlCall.of(context)?.take(header: UnsafeRawBufferPointer(start: bytes, count: size * count))
            return size * count
        }
        vigil_curl_set_pointer(handle, CURLOPT_HEADERDATA, context)
        vigil_curl_set_callback(handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            CurlCall.of(context)?.answer.body += UnsafeRawBufferPointer(start: bytes, count: size * count)
            return size * count
        }
        vigil_curl_set_pointer(handle, CURLOPT_WRITEDATA, context)
        vigil_curl_set_number(handle, CURLOPT_NOPROGRESS, 0)
        vigil_curl_set_progress(handle) { context, _, _, _, _ in
            CurlCall.of(context)?.isCancelled.load(ordering: .relaxed) == true ? 1 : 0
        }
        vigil_curl_set_pointer(handle, CURLOPT_XFERINFODATA, context)
        // What libcurl would add by itself.
        var lines = ["Accept:", "Expect:"]
        if !headers.contains(where: { $0.0.lowercased() == "content-type" }) { lines.append("Content-Type:") }
        lines += headers.map { $0.1.isEmpty ? "\($0.0);" : "\($0.0): \($0.1)" }
        if case .endless = body { lines.append("Transfer-Encoding: chunked") }
        for line in lines { list = curl_slist_append(list, line) }
        vigil_curl_set_list(handle, CURLOPT_HTTPHEADER, list)
    }

    private func configureBody(_ handle: UnsafeMutableRawPointer, _ content: UnsafeRawBufferPointer) {
        switch body {
        case .none:
            break
        case .bytes:
            vigil_curl_set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, content.count)
            vigil_curl_set_pointer(
                handle, CURLOPT_POSTFIELDS, content.isEmpty ? UnsafeRawPointer(context) : content.baseAddress)
        case .endless:
            vigil_curl_set_number(handle, CURLOPT_POST, 1)
            vigil_curl_set_callback(handle, CURLOPT_READFUNCTION) { bytes, size, count, context in
                guard let bytes, let call = CurlCall.of(context) else { return 0 }
                return call.nextChunk(UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
            }
            vigil_curl_set_pointer(handle, CURLOPT_READDATA, context)
        }
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> CurlCall? {
        context.map { Unmanaged<CurlCall>.fromOpaque($0).takeUnretainedValue() }
    }

    /// A line of the header; a status line begins another answer, after an interim one.
    private func take(header bytes: UnsafeRawBufferPointer) {
        let line = String(decoding: bytes, as: UTF8.self)
        if line.hasPrefix("HTTP/") { return answer.fields = [] }
        guard let colon = line.firstIndex(of: ":") else { return }
        let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespacesAndNewlines)
        answer.fields.append((String(line[..<colon]), value))
    }

    private func nextChunk(_ room: UnsafeMutableRawBufferPointer) -> Int {
        guard case .endless(let chunk) = body, chunksLeft > 0 else { return 0 }
        chunksLeft -= 1
        let count = min(chunk.count, room.count)
        room.copyBytes(from: chunk.prefix(count))
        return count
    }
}

/// A call that got no answer, in libcurl's words.
package struct CallFailure: Error, CustomStringConvertible {
    package let reason: String
    package var description: String { reason }
}
