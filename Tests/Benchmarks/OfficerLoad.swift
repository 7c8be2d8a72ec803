import ArgumentParser
import Calling
import DevelopmentIdentityAPI
import DevelopmentSuite
import Foundation

/// Officers at the health portal of a running suite, each signed in with a browser of its own; prints how long pages took.
struct OfficerLoad: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "officers", abstract: "How long officers wait for pages of the health portal.")

    enum Activity: String, ExpressibleByArgument, CaseIterable {
        /// From the form's submission to the page with the code; two requests, because the first is answered with a redirect. The
        /// officers are officer-1, officer-2 and so on, because the limit of one officer's codes is kept in one row.
        case codes
        /// The page with the figures, to its last byte.
        case figures
    }

    @Option(help: "The portal's address.") var portal: String
    @Option(help: "The address of the identity provider's control port.") var control: String
    @Option(help: "PEM file with the authorities that browsers trust.") var authorities: String
    @Option(help: "What they do.") var activity: Activity
    @Option(help: "How many.") var officers = 20
    @Option(help: "How long to measure.") var seconds: Double = 4

    func run() async throws {
        let provider = try ServiceClient(base: control, tls: nil, name: "development-identity")
        let visit = PortalVisit(portal: portal, authorities: authorities) { try await provider.oneTimeCode(of: $0) }
        var browsers: [SignedInBrowser] = []
        for number in 1...officers {
            let user = activity == .codes ? "officer-\(number)" : DevelopmentUser.analyst.rawValue
            browsers.append(try await visit.signIn(as: user))
        }
        let times = try await withThrowingTaskGroup(of: [Duration].self) { group in
            let end = ContinuousClock.now + .seconds(seconds)
            for browser in browsers { group.addTask { try await work(in: browser, until: end) } }
            return try await group.reduce(into: []) { $0 += $1 }
        }.sorted()
        await provider.close()
        guard !times.isEmpty else { throw ValidationError("nothing was measured") }
        func milliseconds(_ share: Double) -> Double { times[Int(Double(times.count - 1) * share)] / .milliseconds(1) }
        print("pages \(times.count) p50 \(milliseconds(0.5)) p99 \(milliseconds(0.99)) max \(milliseconds(1))")
    }

    private func work(in browser: SignedInBrowser, until end: ContinuousClock.Instant) async throws -> [Duration] {
        var browser = browser
        var times: [Duration] = []
        while ContinuousClock.now < end {
            switch activity {
            case .codes:
                try await browser.open("/codes")
                times.append(try await ContinuousClock().measure { _ = try await browser.makeCode() })
            case .figures:
                times.append(try await ContinuousClock().measure { try await browser.open("/statistics") })
            }
        }
        return times
    }
}
