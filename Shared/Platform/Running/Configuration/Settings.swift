package import FoundationEssentials
import Synchronization

/// The configuration of a program: environment variables first, then the JSON file.
///
/// Keys are dotted (`postgres.connection`); the environment variable of a key is its upper-case form with underscores
/// (`POSTGRES_CONNECTION`). Values are read at startup and passed on; no handler reads them. Every method throws
/// ``ConfigurationProblem``, which says what to set.
package struct Settings: Sendable {
    /// As it was at the start: a later change of the environment would be a race with its readers.
    private let environment: [String: String]
    private let file: [String: String]
    private let usage = Usage()

    /// Reads values from the process's environment, then from a file.
    package init(file path: String?) throws(ConfigurationProblem) {
        let file = try path.map { path throws(ConfigurationProblem) in try ConfigurationFile(path: path) }
        self.init(environment: ProcessInfo.processInfo.environment, file: file?.values ?? [:])
    }

    /// Uses values held in memory, for tests.
    package init(_ values: [String: String]) {
        self.init(environment: [:], file: values)
    }

    private init(environment: [String: String], file: [String: String]) {
        self.environment = environment
        self.file = file
    }

    /// Keys of the file that nothing has read; they are most likely misspelt.
    package var unusedKeys: [String] {
        Set(file.keys).subtracting(usedKeys).sorted()
    }

    /// Keys that something has read.
    var usedKeys: Set<String> { usage.keys.withLock { $0 } }

    // MARK: Text

    /// A value that must be set.
    package func string(_ key: String) throws(ConfigurationProblem) -> String {
        guard let value = optionalString(key) else { throw missing(key) }
        return value
    }

    /// A value with a default.
    package func string(_ key: String, default value: String) -> String {
        optionalString(key) ?? value
    }

    /// A value that may be absent; an empty one counts as absent.
    package func optionalString(_ key: String) -> String? {
        usage.keys.withLock { _ = $0.insert(key) }
        guard let value = environment[Self.variable(of: key)] ?? file[key], !value.isEmpty else { return nil }
        return value
    }

    /// A comma-separated list; empty if the key isn't set.
    package func list(_ key: String) -> [String] {
        (optionalString(key) ?? "").split(separator: ",").map { element in
            var trimmed = element
            while trimmed.first == " " { trimmed.removeFirst() }
            while trimmed.last == " " { trimmed.removeLast() }
            return String(trimmed)
        }
    }

    /// `true` or `false`.
    package func bool(_ key: String, default value: Bool) throws(ConfigurationProblem) -> Bool {
        switch optionalString(key) {
        case nil: return value
        case "true": return true
        case "false": return false
        default: throw wrong(key, "must be true or false")
        }
    }

    // MARK: Numbers

    /// A whole number within a range.
    package func int(
        _ key: String, default value: Int? = nil, in range: ClosedRange<Int>
    ) throws(ConfigurationProblem) -> Int {
        guard let text = optionalString(key) else {
            guard let value else { throw missing(key) }
            return value
        }
        guard let number = Int(text), range.contains(number) else {
            throw wrong(key, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// A TCP port; 0 lets the system choose one.
    package func port(_ key: String, default value: Int? = nil) throws(ConfigurationProblem) -> Int {
        try int(key, default: value, in: 0...65_535)
    }

    /// A number of seconds, with or without decimals.
    package func duration(
        _ key: String, default value: Duration? = nil, in range: ClosedRange<Duration> = .zero ... .seconds(31_536_000)
    ) throws(ConfigurationProblem) -> Duration {
        guard let text = optionalString(key) else {
            guard let value else { throw missing(key) }
            return value
        }
        guard let seconds = Double(text), seconds.isFinite, abs(seconds) < 1e12,
            range.contains(.seconds(seconds))
        else {
            throw wrong(
                key,
                "must be a number of seconds from \(range.lowerBound / .seconds(1)) to \(range.upperBound / .seconds(1))"
            )
        }
        return .seconds(seconds)
    }

    // MARK: Places

    /// An `https` or `http` URL, without a slash at its end.
    package func url(_ key: String, default value: String? = nil) throws(ConfigurationProblem) -> String {
        guard var text = optionalString(key) ?? value else { throw missing(key) }
        guard let url = URL(string: text), ["http", "https"].contains(url.scheme), url.host()?.isEmpty == false else {
            throw wrong(key, "must be a URL such as https://localhost:8010")
        }
        while text.last == "/" { text.removeLast() }
        return text
    }

    /// A file or directory that exists and can be read.
    package func path(_ key: String) throws(ConfigurationProblem) -> String {
        let path = try string(key)
        guard FileManager.default.isReadableFile(atPath: path) else {
            throw wrong(key, "names \(path), which can't be read")
        }
        return path
    }

    /// A directory that exists and can be read.
    package func directory(_ key: String) throws(ConfigurationProblem) -> URL {
        let path = try path(key)
        var isDirectory = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), isDirectory else {
            throw wrong(key, "must name a directory")
        }
        return URL(filePath: path, directoryHint: .isDirectory)
    }

    /// The text of a file that the key names, such as a key or certificates in PEM.
    package func text(_ key: String) throws(ConfigurationProblem) -> String {
        let path = try path(key)
        guard let bytes = try? RegularFile.read(path, limit: 1 << 20),
            let text = String(validating: bytes, as: UTF8.self)
        else { throw wrong(key, "names \(path), which must be a file of text") }
        return text
    }

    /// The bytes of a secret: the key names a file that has them in hexadecimal.
    ///
    /// - Parameter byteCount: the required number of bytes.
    package func secretFile(_ key: String, byteCount: Int = 32) throws(ConfigurationProblem) -> [UInt8] {
        let path = try path(key)
        guard let data = try? Data(contentsOf: URL(filePath: path)),
            let bytes = Self.bytes(hexadecimal: data), bytes.count == byteCount
        else {
            throw wrong(key, "names \(path), which must hold \(byteCount) bytes as \(byteCount * 2) hexadecimal digits")
        }
        return bytes
    }

    /// Nil unless the text is an even number of hexadecimal digits of either case; trailing white space is ignored.
    package static func bytes(hexadecimal text: Data) -> [UInt8]? {
        var digits = text[...]
        while let last = digits.last, last == 0x0A || last == 0x0D || last == 0x20 { digits.removeLast() }
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        var high: UInt8?
        for digit in digits {
            let value: UInt8
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = digit - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): value = digit - UInt8(ascii: "A") + 10
            default: return nil
            }
            if let upper = high {
                bytes.append(upper << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return bytes
    }

    // MARK: Problems

    /// The error for a key with an invalid value.
    ///
    /// - Parameter reason: follows the key's name, such as "must be a URL"; it must not quote a secret.
    package func wrong(_ key: String, _ reason: String) -> ConfigurationProblem {
        ConfigurationProblem("\(key) \(reason); correct it in the configuration file or in \(Self.variable(of: key)).")
    }

    /// The error for a key that isn't set.
    package func missing(_ key: String) -> ConfigurationProblem {
        ConfigurationProblem("\(key) is not set; set it in the configuration file or as \(Self.variable(of: key)).")
    }

    /// The environment variable of a key.
    static func variable(of key: String) -> String {
        var name = ""
        var afterLowercase = false
        for character in key {
            if character.isUppercase, afterLowercase { name.append("_") }
            afterLowercase = character.isLowercase
            name += character.isLetter || character.isNumber ? character.uppercased() : "_"
        }
        return name
    }

    private final class Usage: Sendable {
        let keys = Mutex<Set<String>>([])
    }
}
