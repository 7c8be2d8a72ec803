/// The path in the tree that a static file is for, and the file's format.
///
/// The folder mirrors the tree; the file's extension isn't part of the path.
struct StaticFileName: Hashable, Sendable {
    enum Form: String, Sendable {
        /// The message of this path, as protobuf JSON.
        case json
        /// `export.bin` itself.
        case bytes = "bin"
    }

    /// The path in the tree, such as `version/v2/app_config_ios`.
    let path: String
    let form: Form

    /// In place of the country's letters, so that one folder suits every country.
    static let origin = "ORIGIN"

    /// - Parameters:
    ///   - file: relative to the folder of static files, with `/` between its parts.
    ///   - country: what ``origin`` stands for.
    init(_ file: String, of country: String) throws(StaticFileProblem) {
        guard file.utf8.allSatisfy(Self.isAllowed) else {
            throw StaticFileProblem(
                file: file, "Names may have the characters A-Z, a-z, 0-9, dot, underscore and hyphen only.")
        }
        guard let point = file.lastIndex(of: "."), let form = Form(rawValue: String(file[point...].dropFirst())) else {
            throw StaticFileProblem(file: file, "The name must end in .json or .bin.")
        }
        let parts = file[..<point].split(separator: "/", omittingEmptySubsequences: false)
        if let reason = Self.reasonToRefuse(parts) { throw StaticFileProblem(file: file, reason) }
        path = parts.map { $0 == Self.origin ? country : String($0) }.joined(separator: "/")
        self.form = form
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"),
            UInt8(ascii: "/"):
            true
        default: false
        }
    }

    private static func reasonToRefuse(_ parts: [Substring]) -> String? {
        guard parts.count >= 3, parts[0] == "version", ["v1", "v2"].contains(parts[1]) else {
            return "The file must lie below version/v1 or version/v2."
        }
        // A hidden file is still being written.
        guard !parts.contains(where: { $0.isEmpty || $0.hasPrefix(".") }) else {
            return "No part of the path may be empty or begin with a dot."
        }
        guard !["diagnosis-keys", "twp", "venue-reports"].contains(parts[2]) else {
            return "Everything below \(parts[2]) is made from folded keys and reports."
        }
        // In a directory, the file `index` is the object at the path of its folder.
        guard !parts.contains("index"), !indexes.contains(parts[2...].joined(separator: "/")) else {
            return "This is the path of an index, which distribution writes itself."
        }
        return nil
    }

    private static let indexes: Set<String> = ["configuration", "configuration/country"]
}
