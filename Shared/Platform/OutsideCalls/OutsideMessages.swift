package import HTTPTypes
import Loop

/// A request to a server that we don't run.
package struct OutsideRequest: Sendable {
    /// The method.
    package let method: HTTPRequest.Method
    /// With `http` or `https`, and without a user.
    package let url: String
    /// Header fields to add.
    package var fields: HTTPFields
    /// Nil for none, which all methods but GET announce as an empty one.
    package var body: [UInt8]?
    /// Whether the answer may be compressed by gzip; it is given decompressed.
    package var takesGzip = false

    /// A request; with a body it is POST, unless there is another method.
    package init(
        _ url: String, method: HTTPRequest.Method? = nil, fields: HTTPFields = [:], body: [UInt8]? = nil
    ) {
        self.method = method ?? (body == nil ? .get : .post)
        self.url = url
        self.fields = fields
        self.body = body
    }
}

/// What the server answered. A redirect is an answer like any other.
package struct OutsideResponse: Sendable {
    /// The status.
    package let status: HTTPResponse.Status
    /// The header fields.
    package let fields: HTTPFields
    /// All of the body.
    package let body: [UInt8]
}

/// Why a call to the outside has no answer; one fixed word each, for the log.
package enum OutsideProblem: String, Error, Sendable {
    /// The URL isn't one of `http` or `https`.
    case url
    /// The name has no address, or nobody is there.
    case noConnection = "no_connection"
    /// The address may not be called.
    case forbiddenAddress = "forbidden_address"
    /// The proxy refuses the call, or wants a name and a password.
    case proxy
    /// The server's certificate isn't trusted, or our own can't be used.
    case tls = "certificate"
    /// The answer wasn't complete in time.
    case timedOut = "late"
    /// The answer exceeds its limit.
    case tooLarge = "too_large"
    /// The connection ended early, or what came isn't HTTP.
    case malformed
    /// The task was cancelled.
    case cancelled
    /// Too many calls wait.
    case busy
}

/// Which addresses may be called.
package enum OutsideReach: Sendable {
    /// All: for URLs that the operator has written.
    case everywhere
    /// All, and never by a proxy: for a suite's own doors.
    case direct
    /// Public ones: for URLs of strangers, who could otherwise make us call our own network (CWE-918).
    case publicOnly
    /// Public ones, and this machine, for simulators; the latter never by a proxy.
    case publicOrLoopback

    /// Whether an address is called only after it was looked at. Only ``OutsideCalls`` does that.
    var isChecked: Bool { self == .publicOnly || self == .publicOrLoopback }
}

extension OutsideReach {
    /// Whether a host has an address now that may be called: for refusing a stranger's URL when it comes. A call checks again.
    package func allows(host: String) async -> Bool {
        await Blocking.run { OutsideAddress.of(host).contains { $0.isAllowed(self) } }
    }
}
