import Foundation
import Testing

/// Whoever calls a party outside has a table of what it may answer: `AnswerTests`, over all cases of `OutsideAnswer`.
@Suite struct OutsideCallTests {
    /// Clients of servers that aren't ours: libcurl's, one that shows no certificate, and a connection of one's own.
    private static let clients =
        #"\b(OutsideCalls|KeptCalls|OutsideDocument)\(|"#
        + #"\b(HTTP|Service)Client\(\s*base: [^,]+, authorities:|\bConnection\.open\("#

    /// The clients themselves, the phones' side of the suite's own doors, and what never runs in production.
    private static let others = [
        "Shared/Platform/OutsideCalls/", "Shared/Platform/Calling/", "Shared/Phone/", "Services/Development/",
    ]

    @Test("each call to a party outside has a table with every answer that one may give")
    func tables() throws {
        let code = try SourceTree("Services", "Shared")
        let tests = try SourceTree("Tests").files.filter { $0.path.hasSuffix("/AnswerTests.swift") }
        func hasTable(_ module: String) -> Bool {
            tests.contains { file in
                // The compiler finds a case that a switch without `default` lacks.
                file.path.hasPrefix("Tests/\(module)Tests/") && file.text.contains(", OutsideAnswer.allCases")
                    && file.text.contains("LoggedCause(") && !file.text.contains("default:")
            }
        }
        let callers = Set(
            try code.lines(matching: Self.clients) { file in
                !Self.others.contains { file.path.hasPrefix($0) }
            }.map { $0.path.split(separator: "/").dropLast().map { String($0) } })
        // Each of the parties: two of the identity provider, the gateway, the stores, Apple's two.
        #expect(callers.count > 5)
        for folders in callers {
            let path = folders.joined(separator: "/")
            if folders[0] == "Services" {
                #expect(hasTable(folders[1]), "\(path)")
            } else {
                let module = folders[2]
                let users = code.files.filter {
                    $0.path.hasPrefix("Services/") && $0.text.contains("import \(module)\n")
                }
                let services = Set(users.map { String($0.path.split(separator: "/")[1]) })
                #expect(!services.isEmpty && (hasTable(module) || services.allSatisfy(hasTable)), "\(path)")
            }
        }
    }
}
