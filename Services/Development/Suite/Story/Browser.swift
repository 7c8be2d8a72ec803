import Calling
import Foundation
import HTTPContract
import HTTPTypes
import OutsideCalls
import Running

/// A browser without scripts: it keeps cookies by host, follows redirects, and submits forms as people do (libcurl).
struct Browser {
    /// A page, and where it is.
    struct Page {
        let url: URL
        let status: Int
        let html: String
    }

    /// A server gives no answer.
    struct Silence: OperatorProblem {
        /// Scheme, host and port.
        let origin: String
        let problem: OutsideProblem

        var description: String { "The browser gets no answer from \(origin) (\(problem))." }
    }

    /// A page isn't what the officer expected.
    struct Confusion: OperatorProblem {
        let description: String
    }

    private let calls: OutsideCalls
    private var cookies: [String: [String: String]] = [:]

    private static let redirects = 10
    private static let patience = Duration.seconds(20)
    private static let largestPage = 1 << 20

    /// - Parameter authorities: path of a PEM file with those that the browser trusts.
    init(authorities: String) throws {
        calls = try OutsideCalls(authorities: authorities, reach: .direct)
    }

    /// Opens an address.
    mutating func open(_ address: String) async throws -> Page {
        guard let url = URL(string: address) else { throw Confusion(description: "The page's address is none.") }
        return try await load(url, nil, from: nil)
    }

    /// Where an address redirects to, without going there; nil if it doesn't.
    ///
    /// - Throws: also if the answer is a server's error.
    func destination(of address: String) async throws -> URL? {
        guard let url = URL(string: address) else { throw Confusion(description: "The page's address is none.") }
        let response = try await send(request(url, nil, from: nil), to: url)
        guard response.status.kind != .serverError else { throw CallError.refused(response.status) }
        guard response.status.kind == .redirection, let place = response.fields[.location] else { return nil }
        return URL(string: place, relativeTo: url)?.absoluteURL
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
        return try await load(url, URLEncodedValues(fields).encoded, from: page.url)
    }

    /// - Parameter form: what is posted; nil for a page that is read.
    private mutating func load(_ first: URL, _ form: String?, from: URL?) async throws -> Page {
        var (url, form) = (first, form)
        for _ in 0..<Self.redirects {
            let response = try await send(request(url, form, from: from), to: url)
            remember(response.fields[values: .setCookie], of: url)
            guard response.status.kind == .redirection else {
                return Page(
                    url: url, status: response.status.code, html: String(decoding: response.body, as: UTF8.self))
            }
            guard let place = response.fields[.location], let next = URL(string: place, relativeTo: url)?.absoluteURL,
                next.scheme == "https"
            else { throw Confusion(description: "A redirect leads nowhere.") }
            (url, form) = (next, nil)
        }
        throw Confusion(description: "The pages redirect in a circle.")
    }

    private func send(_ request: OutsideRequest, to url: URL) async throws -> OutsideResponse {
        do {
            return try await calls.send(request, within: Self.patience, limit: Self.largestPage)
        } catch {
            throw Silence(origin: url.origin ?? "the page's address", problem: error)
        }
    }

    private func request(_ url: URL, _ form: String?, from: URL?) throws -> OutsideRequest {
        var fields: HTTPFields = [.acceptLanguage: "en"]
        let known = cookies[url.host() ?? ""] ?? [:]
        if !known.isEmpty {
            fields[.cookie] = known.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: "; ")
        }
        if form != nil {
            fields[.contentType] = MediaType.form.text
            if let site = HTTPField.Name("sec-fetch-site") {
                fields[site] = from?.origin == url.origin ? "same-origin" : "cross-site"
            }
            fields[.origin] = from?.origin
        }
        return OutsideRequest(url.absoluteString, fields: fields, body: form.map { Array($0.utf8) })
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
