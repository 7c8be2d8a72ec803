import HTTPContract
import HTTPTypes
import OutsideCalls
import Running

/// Posts log-out tokens over TLS.
struct Notifier: Sendable {
    private let calls: OutsideCalls

    /// - Parameter authorities: path of a PEM file with the authorities that clients' certificates come from.
    init(authorities: String) throws(ConfigurationProblem) {
        calls = try OutsideCalls(authorities: authorities, reach: .direct)
    }

    /// - Returns: the status of the answer; nil if there was none within three seconds.
    func post(_ token: String, to address: String) async -> Int? {
        let form: URLEncodedValues = ["logout_token": token]
        let request = OutsideRequest(
            address, fields: [.contentType: MediaType.form.text], body: Array(form.encoded.utf8))
        return try? await calls.send(request, within: .seconds(3), limit: 64 << 10).status.code
    }
}
