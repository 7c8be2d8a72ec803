import CCurl
import Glibc
import HTTPTypes
import Loop
import TLS

/// One request of libcurl, on one thread from beginning to end.
final class CurlTransfer {
    /// What is to be done.
    struct Plan: Sendable {
        let request: OutsideRequest
        let authorities: String?
        var identity: TLSFiles? = nil
        let reach: OutsideReach
        /// Where to connect, whatever the URL says; nil for the URL's host.
        var address: OutsideAddress? = nil
        /// For the connection, TLS included; nil for all of the time.
        var connectTime: Duration? = nil
        var isKept = false
        let limit: Int
        let end: Moment
        let isCancelled: Flag
    }

    let plan: Plan
    let handle: UnsafeMutableRawPointer
    private var lines: UnsafeMutablePointer<curl_slist>?
    private var connectTo: UnsafeMutablePointer<curl_slist>?
    private var fields = HTTPFields()
    private var headBytes = 0
    private var body: [UInt8] = []
    private var problem: OutsideProblem?

    private static let headLimit = 64 << 10
    /// libcurl's global state, before its first handle.
    static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    init(_ plan: Plan) throws(OutsideProblem) {
        guard Self.isReady, let handle = curl_easy_init() else { throw .noConnection }
        self.plan = plan
        self.handle = handle
    }

    deinit {
        curl_easy_cleanup(handle)
        curl_slist_free_all(lines)
        curl_slist_free_all(connectTo)
    }

    /// Carries it out.
    func perform() throws(OutsideProblem) -> OutsideResponse {
        try prepare()
        return try answer(after: curl_easy_perform(handle))
    }

    /// Sets what libcurl has to know of it.
    func prepare() throws(OutsideProblem) {
        let milliseconds = (plan.end - .now()) / .milliseconds(1)
        guard milliseconds >= 1 else { throw .timedOut }
        guard plan.request.url.hasPrefix("https://") || plan.request.url.hasPrefix("http://") else { throw .url }
        set(CURLOPT_TIMEOUT_MS, Int(milliseconds))
        let connecting = plan.connectTime.map { $0 / .milliseconds(1) } ?? milliseconds
        set(CURLOPT_CONNECTTIMEOUT_MS, max(1, Int(connecting)))
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_FOLLOWLOCATION, 0)
        set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_URL, plan.request.url)
        setConnection()
        setTLS()
        try setReach()
        setMessage()
        setBody()
        vigil_curl_set_list(handle, CURLOPT_HTTPHEADER, lines)
        setCallbacks()
    }

    /// What came of it, once libcurl has ended it.
    func answer(after code: CURLcode) throws(OutsideProblem) -> OutsideResponse {
        if let problem { throw problem }
        guard code == CURLE_OK else { throw number(CURLINFO_HTTP_CONNECTCODE) >= 300 ? .proxy : Self.problem(code) }
        let status = HTTPResponse.Status(code: number(CURLINFO_RESPONSE_CODE))
        return OutsideResponse(status: status, fields: fields, body: body)
    }

    private func number(_ info: CURLINFO) -> Int {
        var number = 0
        vigil_curl_get_number(handle, info, &number)
        return number
    }

    private static func problem(_ code: CURLcode) -> OutsideProblem {
        switch code {
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_URL_MALFORMAT, CURLE_LOGIN_DENIED: .url
        case CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT, CURLE_PROXY: .noConnection
        case CURLE_OPERATION_TIMEDOUT: .timedOut
        case CURLE_ABORTED_BY_CALLBACK: .cancelled
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_PEER_FAILED_VERIFICATION,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_ENGINE_INITFAILED:
            .tls
        default: .malformed
        }
    }

    // MARK: Options

    private func setConnection() {
        if plan.isKept {
            set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
            // A request joins a connection that is being opened: HTTP/2 has room for it.
            set(CURLOPT_PIPEWAIT, 1)
        } else {
            set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
            set(CURLOPT_FRESH_CONNECT, 1)
            set(CURLOPT_FORBID_REUSE, 1)
        }
    }

    private func setTLS() {
        // Its type differs between versions of libcurl.
        set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        // One file is read at once; a folder is searched at each call.
        set(CURLOPT_CAPATH, nil)
        if let authorities = plan.authorities { set(CURLOPT_CAINFO, authorities) }
        if let identity = plan.identity {
            set(CURLOPT_SSLCERT, identity.certificate)
            set(CURLOPT_SSLKEY, identity.key)
        }
    }

    private func setReach() throws(OutsideProblem) {
        guard !plan.reach.isChecked || plan.address != nil else { throw .forbiddenAddress }
        if let address = plan.address {
            // For any host and port; the port stays. An HTTP proxy gets CONNECT with the address, also for a URL without TLS: else
            // it would be given the URL.
            connectTo = curl_slist_append(nil, "::\(address.text):")
            vigil_curl_set_list(handle, CURLOPT_CONNECT_TO, connectTo)
            set(CURLOPT_HTTPPROXYTUNNEL, 1)
        }
        // This machine's addresses are others to a proxy.
        if plan.reach == .direct || plan.address?.isLoopback == true { set(CURLOPT_PROXY, "") }
    }

    private func setMessage() {
        // libcurl would wait a second before it sends a body.
        append("Expect:")
        for field in plan.request.fields {
            append(field.value.isEmpty ? "\(field.name.rawName);" : "\(field.name.rawName): \(field.value)")
        }
        // Decompressed bytes count against the limit.
        if plan.request.takesGzip { set(CURLOPT_ACCEPT_ENCODING, "gzip") }
    }

    private func setBody() {
        let method = plan.request.method
        if method != .get { set(CURLOPT_CUSTOMREQUEST, method.rawValue) }
        // A body that is announced as empty, where the method expects one (RFC 9110, section 8.6).
        guard let content = plan.request.body ?? (method == .get ? nil : []) else { return }
        set(CURLOPT_POST, 1)
        // libcurl would name a form.
        if plan.request.fields[.contentType] == nil { append("Content-Type:") }
        vigil_curl_set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(content.count))
        _ = content.withUnsafeBytes { bytes in
            // An empty text: without an address libcurl would ask a callback for the body.
            if bytes.isEmpty {
                vigil_curl_set_text(handle, CURLOPT_COPYPOSTFIELDS, "")
            } else {
                vigil_curl_set_pointer(handle, CURLOPT_COPYPOSTFIELDS, bytes.baseAddress)
            }
        }
    }

    private func append(_ line: String) {
        lines = curl_slist_append(lines, line) ?? lines
    }

    private func setCallbacks() {
        vigil_curl_set_pointer(handle, CURLOPT_WRITEDATA, context)
        vigil_curl_set_callback(handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            guard let bytes, let context else { return 0 }
            return CurlTransfer.from(context).take(UnsafeRawBufferPointer(start: bytes, count: size * count))
        }
        vigil_curl_set_pointer(handle, CURLOPT_HEADERDATA, context)
        vigil_curl_set_callback(handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            guard let bytes, let context else { return 0 }
            return CurlTransfer.from(context).takeLine(UnsafeRawBufferPointer(start: bytes, count: size * count))
        }
        set(CURLOPT_NOPROGRESS, 0)
        vigil_curl_set_pointer(handle, CURLOPT_XFERINFODATA, context)
        vigil_curl_set_progress(handle) { context, _, _, _, _ in
            guard let context else { return 1 }
            return CurlTransfer.from(context).plan.isCancelled.isSet ? 1 : 0
        }
    }

    private func set(_ option: CURLoption, _ value: Int) { vigil_curl_set_number(handle, option, value) }
    private func set(_ option: CURLoption, _ value: String?) { vigil_curl_set_text(handle, option, value) }

    // MARK: Callbacks

    private var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    private static func from(_ context: UnsafeMutableRawPointer) -> CurlTransfer {
        Unmanaged.fromOpaque(context).takeUnretainedValue()
    }

    /// - Returns: how much was taken; less ends the transfer.
    private func take(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard body.count + bytes.count <= plan.limit else {
            problem = .tooLarge
            return 0
        }
        body.append(contentsOf: bytes)
        return bytes.count
    }

    private func takeLine(_ bytes: UnsafeRawBufferPointer) -> Int {
        headBytes += bytes.count
        guard headBytes <= Self.headLimit else {
            problem = .tooLarge
            return 0
        }
        let line = String(decoding: bytes, as: UTF8.self)
        // A status line: of the last answer, behind interim ones and a proxy's.
        if line.hasPrefix("HTTP/") { fields = HTTPFields() }
        if let colon = line.firstIndex(of: ":"), let name = HTTPField.Name(String(line[..<colon])) {
            let isBlank = { (character: Character) in character.isWhitespace }
            let value = line[colon...].dropFirst().drop(while: isBlank)
            let end = value.lastIndex { !isBlank($0) }.map { value.index(after: $0) } ?? value.startIndex
            fields.append(HTTPField(name: name, value: String(value[..<end])))
        }
        return bytes.count
    }
}
