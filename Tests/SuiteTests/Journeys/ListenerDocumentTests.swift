import Catalogue
import Foundation
import HTTPContract
import HTTPTypes
import Running
import Serving
import TestSupport
import Testing

/// The OpenAPI documents of a whole suite.
@Suite(.timeLimit(.minutes(5))) struct ListenerDocumentTests {
    private struct Document: Decodable {
        struct Operation: Decodable {
            let tags: [String]
        }

        let paths: [String: [String: Operation]]
    }

    /// `POST /path role`, for each role.
    private static func operations(in document: Document) -> [String] {
        document.paths.flatMap { path, operations in
            operations.flatMap { method, operation in
                operation.tags.map { "\(method.uppercased()) \(path) \($0)" }
            }
        }
    }

    @Test(
        "every operation of every API is in exactly one listener's document, and each document matches the catalogue"
    )
    func complete() async throws {
        let documents = Catalogue.services.flatMap { service in
            service.listeners.filter { $0.security == .mutualTLS }.map { (service.name, $0) }
        }
        let served = try await InProcessSuite.run(clock: .system) { suite in
            let urls = try await suite.adminURLs
            var served: [String] = []
            for (service, listener) in documents {
                let url = try #require(urls[service])
                let answer = try await send(.GET, "\(url)/openapi/\(listener.name.rawValue).json")
                let operations = Self.operations(
                    in: try JSONDecoder().decode(Document.self, from: Data(answer.body.utf8)))
                let known = listener.routes.flatMap { route in
                    route.callers.map { "\(route.method.rawValue) \(route.path) \($0.rawValue)" }
                }
                #expect(operations.sorted() == known.sorted(), "\(service) \(listener.name.rawValue)")
                served += operations
            }
            return served
        }
        #expect(served.sorted() == (try Self.declared()).sorted())
    }

    @Test(
        "the proxy's document has exactly what verification, submission, push dispatcher, data donation and further offer the proxy"
    )
    func proxy() async throws {
        let paths = try await InProcessSuite.run(clock: .system) { suite in
            let url = try #require(try await suite.adminURLs["metadata-proxy"])
            let answer = try await send(.GET, "\(url)/openapi/listen.json")
            return try JSONDecoder().decode(Document.self, from: Data(answer.body.utf8)).paths
        }
        let known = paths.flatMap { path, operations in operations.keys.map { "\($0.uppercased()) \(path)" } }
        let offered = try Self.declared().filter { $0.hasSuffix(" metadata-proxy") }
            .map { String($0.dropLast(" metadata-proxy".count)) }
        #expect(known.sorted() == offered.sorted())
    }

    /// The operations that the sources of the contracts declare. There is no list in which one could be forgotten.
    private static func declared() throws -> [String] {
        let contracts = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Shared/Contracts")
        let files = try FileManager.default.subpathsOfDirectory(atPath: contracts.path)
            .filter { $0.hasSuffix("API.swift") }
        #expect(!files.isEmpty)
        let endpoint = /= Endpoint<[^(]*>\(\s*\.([a-z]+), "([^"]+)", callers: \[([^\]]*)\]/
        return try files.flatMap { file in
            let source = try String(contentsOf: contracts.appending(path: file), encoding: .utf8)
            let found = source.matches(of: endpoint)
            #expect(found.count == source.split(separator: "= Endpoint<").count - 1)
            return try found.flatMap { match in
                try match.3.split(separator: ", ").map { name in
                    let role = try #require(Role.allCases.first { "." + "\($0)" == name })
                    return "\(match.1.uppercased()) \(match.2) \(role.rawValue)"
                }
            }
        }
    }
}
