import Foundation
import Testing

/// Rules of the house that the compiler can't check. A failure names file, line and rule.
struct HouseRules {
    private let code: SourceTree

    init() throws {
        code = try SourceTree("Services", "Shared")
    }

    /// The operator's command line and the development suite: no services.
    private static func isCommandLine(_ file: SourceTree.File) -> Bool {
        file.path.hasPrefix("Services/Vigil/") || file.path.hasPrefix("Services/Development/Suite/")
    }

    @Test("SQL stands in Storage, Schema and Postgres only")
    func sql() throws {
        let statements =
            #"\b(SELECT .* FROM|INSERT INTO|UPDATE [a-z_.]+ SET|DELETE FROM|CREATE (TABLE|ROLE|SCHEMA|DATABASE))\b"#
        let elsewhere = try code.lines(matching: statements) { file in
            !file.path.contains("/Storage/") && !file.path.hasPrefix("Shared/Schema/")
                && !file.path.hasPrefix("Shared/Platform/Postgres/")
        }
        #expect(elsewhere.isEmpty)
    }

    @Test("nothing is forced: no try!, as!, fatalError")
    func force() throws {
        #expect(try code.lines(matching: #"\btry!|\bas!|\bfatalError\("#).isEmpty)
    }

    @Test("the formatter refuses force-unwraps and forced tries")
    func formatterRules() throws {
        struct Configuration: Decodable {
            let rules: [String: Bool]
        }
        let file = try Data(contentsOf: SourceTree.root.appending(path: ".swift-format"))
        let rules = try JSONDecoder().decode(Configuration.self, from: file).rules
        for rule in ["NeverForceUnwrap", "NeverUseForceTry", "NeverUseImplicitlyUnwrappedOptionals"] {
            #expect(rules[rule] == true, "\(rule)")
        }
    }

    @Test("JSON is read in one place, which refuses a name that stands twice in an object")
    func json() throws {
        let reading = try code.lines(matching: #"\bJSON(Decoder\s*\(|Serialization\b)"#)
        #expect(reading.map(\.path) == ["Shared/Toolkit/StrictJSON/StrictJSON.swift"])
    }

    @Test("concurrency is structured: no task is started, but for the one that answers a request, and a refresh")
    func tasks() throws {
        let started = try code.lines(matching: #"\bTask\s*(\.\s*(detached|immediate|immediateDetached)\s*)?[({]"#)
        // A request comes from a connection's core, not from a task. The listener ends the task with the request.
        // Its request awaits the refresh, which must not end when the officer closes the page.
        #expect(
            started.map(\.path) == [
                "Services/HealthPortal/Sessions/RefreshTokens.swift",
                "Shared/Platform/Serving/Requests/RequestTask.swift",
            ])
    }

    @Test("tests start programs one at a time")
    func programs() throws {
        let tests = try SourceTree("Tests")
        #expect(
            try tests.lines(matching: #"\b(process|program|child)\.run\(\)"#) {
                $0.path != "Tests/ArchitectureTests/HouseRules.swift"
            }.isEmpty)
    }

    @Test("nothing prints but the command line")
    func printing() throws {
        let printing = try code.lines(matching: #"(^|[^.\w])(print|debugPrint|dump|NSLog)\("#) { file in
            !file.path.hasPrefix("Shared/Toolkit/ArgumentParser/")
        }
        #expect(printing.isEmpty)
    }

    /// Swift 6.3.1 inlines `@inlinable public` into other modules, but not `@inlinable package`, and generic code that isn't inlined
    /// costs several times as much.
    @Test("package is the widest access level but for what has to be inlined into other modules")
    func access() throws {
        let inlined = ["Shared/Toolkit/DequeModule/", "Shared/Toolkit/SwiftProtobuf/"]
        let wider = try code.lines(
            matching:
                #"^ *(@\w+ )*(public|open) (import|struct|class|enum|func|var|let|init|protocol|extension|final|static)\b"#
        )
        #expect(wider.allSatisfy { line in inlined.contains { line.path.hasPrefix($0) } })
    }

    @Test("whoever tells the compiler to trust him says why, in a comment above")
    func unchecked() throws {
        let claims = try code.lines(matching: #"@unchecked Sendable|nonisolated\(unsafe\)|@preconcurrency"#)
        let unexplained = claims.filter { claim in
            guard let file = code.files.first(where: { $0.path == claim.path }) else { return true }
            return !file.lines[max(0, claim.line - 12)..<(claim.line - 1)].contains { line in
                line.contains("//")
            }
        }
        #expect(unexplained.isEmpty)
    }

    @Test("time is a parameter: services and domain modules never ask the machine's clock")
    func time() throws {
        let asked = try code.lines(matching: #"\bDate\(\)|\bDate\.now\b|\btime\(nil\)|\bgettimeofday\b"#) { file in
            // A log line's time is the machine's; the operator's command line sets the clock for others.
            !file.path.hasPrefix("Shared/Platform/Running/Time/") && !Self.isCommandLine(file)
                && file.path != "Shared/Platform/Running/Logging/JSONLogHandler.swift"
        }
        #expect(asked.isEmpty)
    }

    @Test("the environment is read by the configuration, and by the command lines for their children")
    func environment() throws {
        let read = try code.lines(matching: #"\bgetenv\(|ProcessInfo\.processInfo\.environment"#) { file in
            // How many cores there are is settled before there is a configuration.
            !Self.isCommandLine(file) && file.path != "Shared/Platform/Loop/Cores.swift"
        }
        #expect(read.map(\.path) == ["Shared/Platform/Running/Configuration/Settings.swift"])
    }

    @Test("an executable's Main has at most 30 lines")
    func mains() {
        let long = code.files.filter { $0.path.contains("/Main/") && $0.lines.count > 31 }.map(\.path)
        #expect(long.isEmpty)
    }

    @Test("no file is a drawer for odds and ends")
    func names() {
        let drawers = code.files.filter { file in
            let name = URL(filePath: file.path).deletingPathExtension().lastPathComponent
            return name.contains(/^(Utils?|Utilities|Helpers?|Constants|Types|Extensions|Misc|Common)$/)
        }
        #expect(drawers.map(\.path).isEmpty)
    }

    /// What implements a requirement of a known protocol has the protocol's documentation.
    private static let witness =
        #"func (<|advanced\(by|distance\(to|encode\(to|encoded\(\)|run\(\)|log\(event|(make|destroy)[A-Z]|serialize\(into)"#
        + #"|init\??\((from decoder|fields|parameters|wire|rawValue|derEncoded)|subscript\((metadataKey|position)"#
        + #"|(var|let) (description|debugDescription|customMirror|mediaType|headerNames|bodySchema|fieldSchemas|parameterSchemas|schema|rawValue|wireText|problem"#
        + #"|exitStatus|metadata|metadataProvider|logLevel|startIndex|endIndex|defaultIdentifier)\b|static let configuration = CommandConfiguration"#

    @Test("every package declaration has a doc comment, its own or that of the requirement it implements")
    func documented() throws {
        let declarations = try code.lines(matching: #"^ *package (?!import|extension|.*("# + Self.witness + "))")
        let bare = declarations.filter { declaration in
            guard let file = code.files.first(where: { $0.path == declaration.path }) else { return true }
            // Attributes may stand between comment and declaration, on several lines.
            let above = file.lines[..<(declaration.line - 1)].reversed().lazy.map { $0.drop { $0 == " " } }
                .prefix { !$0.isEmpty && !$0.hasPrefix("package ") }
            return !above.contains { $0.hasPrefix("///") }
        }
        #expect(bare.isEmpty)
    }
}
