import Credentials
import Foundation
import Testing

@Suite("deploy/laboratories.md")
struct LaboratoryPageTests {
    private static let page: String = {
        let checkout = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return (try? String(contentsOf: checkout.appending(path: "deploy/laboratories.md"), encoding: .utf8)) ?? ""
    }()

    @Test("its example is a test code, and the hash beside it is what phones send for it")
    func example() throws {
        let guid = try #require(Self.page.firstMatch(of: /printf %s (\S+) \| sha256sum\n([0-9a-f]{64})  -\n/))
        let code = try #require(TestGUID(guid.1))
        #expect(HashedGUID(hashing: code.text).text == String(guid.2))
    }

    @Test("its table of codes has those of each kind of test, and a laboratory's without pending and redeemed")
    func codes() throws {
        for (path, family) in [
            ("/api/v1/lab/results", TestFamily.pcr), ("/api/v1/quicktest/results", .quick),
            ("/api/v1/pocnat/results", .pocnat),
        ] {
            let row = try #require(Self.page.split(separator: "\n").first { $0.hasPrefix("| `\(path)`") })
            let numbers = row.split(separator: "|").compactMap { Int($0.trimmingCharacters(in: .whitespaces)) }
            #expect(numbers == family.codes.filter { family.accepts($0) }.map(\.rawValue), "\(path)")
        }
    }
}
