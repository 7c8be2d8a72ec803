import Foundation
import Phone
import Running

/// The lines on which a country's phones reach the metadata proxy. Each has a ``Wiretap``.
///
/// A phone has a line to itself for the length of a request, so that what passes on it is the phone's.
actor TappedLines {
    /// What somebody saw who watches a phone's network: one request and its answer.
    struct Exchange: Sendable {
        let at: Date
        let lengths: Wiretap.Lengths
    }

    private struct Line {
        let tap: Wiretap
        let apps: AppClient
    }

    private let proxy: String
    private let authorities: String
    private var free: [Line] = []
    private var all: [Line] = []

    /// - Parameters:
    ///   - proxy: the metadata proxy's URL, with its port on this machine.
    ///   - authorities: path of the PEM file with the certificate authority that the apps trust.
    init(to proxy: String, authorities: String) {
        self.proxy = proxy
        self.authorities = authorities
    }

    /// Lends a line to a phone.
    /// - Parameter instant: of the phone's time.
    func exchange<Answer: Sendable>(
        at instant: Date, _ body: @Sendable (AppClient) async -> Answer
    ) async throws -> (answer: Answer, seen: Exchange) {
        let line = if let line = free.popLast() { line } else { try open() }
        defer { free.append(line) }
        // An answer to a request that was given up may have come since.
        _ = line.tap.take()
        let answer = await body(line.apps)
        return (answer, Exchange(at: instant, lengths: line.tap.take()))
    }

    private func open() throws -> Line {
        guard var url = URLComponents(string: proxy), let port = url.port else { throw URLError(.badURL) }
        let tap = try Wiretap(to: port)
        url.port = tap.port
        let line = Line(tap: tap, apps: try AppClient(base: url.string ?? proxy, authorities: authorities))
        all.append(line)
        return line
    }

    /// Closes all lines.
    func close() async {
        for line in all {
            await line.apps.close()
            await line.tap.close()
        }
        all = []
    }
}
