import AsyncHTTPClient
import Foundation
import HTTPContract
import NIOCore
import NIOHTTP1
import Running
import TLS

/// A browser without scripts: it keeps cookies by host, follows redirects, and submits forms as people do.
struct Browser {
    /// A page, and where it is.
    struct Page {
        let url: URL
        let status: Int
        let html: String
    }

    /// A page isn't what the officer expected.
    struct Confusion: OperatorProblem {
        let description: String
    }

    private let http: HTTPClient
    private var cookies: [String: [String: String]] = [:]

    private static let redirects = 10
    private static let patience: TimeAmount = .seconds(20)

    /// - Parameter authorities: path of a PEM file with those that the browser trusts.
    init(authorities: String) throws {
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: try TLSFiles.anonymousClient(trusting: authorities), redirectConfiguration: .disallow)
        configuration.httpVersion = .http1Only
        http = HTTPClient(configuration: configuration)
    }

    func close() async { try? await http.shutdown() }

    /// Opens an address.
    mutating func open(_ address: String) async throws -> Page {
        guard let url = URL(string: address) else { throw Confusion(description: "The page's address is none.") }
        return try await load(url, .GET, nil, from: nil)
    }

    /// Fills in a form and submits it.
    mutating func submit(_ form: PageForm, _ values: [String: String] = [:], on page: Page) async throws -> Page {
        guard let url = URL(string: form.action, relativeTo: page.url)?.absoluteURL else {
            throw Confusion(description: "The form has no address.")
        }
        var fields = form.hidden
        for (name, value) in values {
            guard form.inputs.contains(name) else { throw Confusion(description: "The form doesn't ask for \(name).") }
            fields[name] = value
        }
        return try await load(url, .POST, URLEncodedValues(fields).encoded, from: page.url)
    }

    private mutating func load(_ first: URL, _ method: HTTPMethod, _ form: String?, from: URL?) async throws -> Page {
        var url = first
        var (method, form) = (method, form)
        for _ in 0..<Self.redirects {
            let response = try await http.execute(request(url, method, form, from: from), timeout: Self.patience)
            let body = try await response.body.collect(upTo: 1 << 20)
            remember(response.headers["set-cookie"], of: url)
            guard (300..<400).contains(response.status.code) else {
                return Page(url: url, status: Int(response.status.code), html: String(buffer: body))
            }
            guard let place = response.headers.first(name: "location"),
                let next = URL(string: place, relativeTo: url)?.absoluteURL, next.scheme == "https"
            else { throw Confusion(description: "A redirect leads nowhere.") }
            (url, method, form) = (next, .GET, nil)
        }
        throw Confusion(description: "The pages redirect in a circle.")
    }

    private func request(_ url: URL, _ method: HTTPMethod, _ form: String?, from: URL?) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: url.absoluteString)
        request.method = method
        request.headers.add(name: "accept-language", value: "en")
        let known = cookies[url.host() ?? ""] ?? [:]
        if !known.isEmpty {
            request.headers.add(
                name: "cookie", value: known.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: "; "))
        }
        if let form {
            request.headers.add(name: "content-type", value: MediaType.form.text)
            request.headers.add(
                name: "sec-fetch-site", value: from?.origin == url.origin ? "same-origin" : "cross-site")
            if let origin = from?.origin { request.headers.add(name: "origin", value: origin) }
            request.body = .bytes(ByteBuffer(string: form))
        }
        return request
    }

    private mutating func remember(_ fields: [String], of url: URL) {
        for field in fields {
            let parts = field.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
            let pair = parts[0].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { String($0) }
            guard pair.count == 2 else { continue }
            let isOver = parts.dropFirst().contains { $0.lowercased() == "max-age=0" }
            cookies[url.host() ?? "", default: [:]][pair[0]] = isOver ? nil : pair[1]
        }
    }
}

extension URL {
    /// Scheme, host and port.
    fileprivate var origin: String? {
        guard let scheme, let host = host() else { return nil }
        return "\(scheme)://\(host)" + (port.map { ":\($0)" } ?? "")
    }
}
