import AsyncHTTPClient
import HTTPContract
import NIOCore
import NIOHTTP1
import Running
import TLS

/// Posts log-out tokens over TLS.
struct Notifier: Sendable {
    /// Path of a PEM file with the authorities that clients' certificates come from.
    let authorities: String

    /// - Returns: the status of the answer; nil if there was none within three seconds.
    func post(_ token: String, to address: String) async -> Int? {
        guard let tls = try? TLSFiles.anonymousClient(trusting: authorities) else { return nil }
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls, redirectConfiguration: .disallow)
        configuration.httpVersion = .http1Only
        configuration.connectionPool.retryConnectionEstablishment = false
        let client = HTTPClient(configuration: configuration)
        let form: URLEncodedValues = ["logout_token": token]
        var request = HTTPClientRequest(url: address)
        request.method = .POST
        request.headers.add(name: "content-type", value: MediaType.form.text)
        request.body = .bytes(ByteBuffer(string: form.encoded))
        let response = try? await client.execute(request, timeout: .seconds(3))
        try? await client.shutdown()
        return response.map { Int($0.status.code) }
    }
}
