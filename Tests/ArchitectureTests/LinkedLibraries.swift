import Foundation
import Testing

/// What the programs load besides their own code.
struct LinkedLibraries {
    /// All of Foundation, and with it ICU: some 40 MB that no service needs.
    private static func areFoundation(_ libraries: [String]) -> [String] {
        libraries.filter { $0.contains(/^lib(Foundation|FoundationInternationalization|_FoundationICU|icu\w*)\.so/) }
    }

    @Test(
        "a program that is deployed loads FoundationEssentials at most: neither Foundation nor ICU",
        arguments: TrustZones.Module.all.map(\.executable) + ["vigil"])
    func foundation(program: String) throws {
        let libraries = try BuiltProgram(program).libraries()
        #expect(libraries.contains { $0.hasPrefix("libswiftCore.so") })
        #expect(Self.areFoundation(libraries) == [])
    }

    @Test(
        "--version names the libraries that handle what strangers send, as they are loaded, and Debian's revision of them",
        arguments: TrustZones.Module.all.map(\.executable) + ["vigil"])
    func version(program: String) throws {
        let built = try BuiltProgram(program)
        let lines = try built.output("--version")
        #expect(lines.first == program)
        let loaded = try built.libraries()
        let files = [
            "OpenSSL": "libcrypto.so.", "libcurl": "libcurl.so.", "nghttp2": "libnghttp2.so.", "libpq": "libpq.so.",
        ]
        let expected = files.filter { _, file in loaded.contains { $0.hasPrefix(file) } }
        #expect(lines.dropFirst().map { String($0.prefix { $0 != " " }) }.sorted() == expected.keys.sorted())
        for line in lines.dropFirst() {
            let parts = try #require(line.wholeMatch(of: /\w+ ([\d.]+) \((\S+) (\S+)\)/), "\(line)")
            #expect(parts.3.hasPrefix(parts.1))
            #expect(
                try BuiltProgram.output("/usr/bin/dpkg-query", ["-W", "-f=${Version}", "\(parts.2)"]) == ["\(parts.3)"])
        }
    }

    @Test("the finder works: these tests load Foundation and ICU")
    func finder() throws {
        // Read to its end: the file has no size.
        let maps = try #require(try FileHandle(forReadingAtPath: "/proc/self/maps")?.readToEnd())
        let loaded = String(decoding: maps, as: UTF8.self).split(separator: "\n")
            .compactMap { $0.split(separator: "/").last.map { String($0) } }
        let found = Set(Self.areFoundation(loaded))
        #expect(found.isSuperset(of: ["libFoundation.so", "lib_FoundationICU.so"]))
    }
}
