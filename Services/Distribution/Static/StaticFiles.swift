import ExposureFormat
import ExposureKeys
import FoundationEssentials
import Running

/// The folder of static files, which are published as signed archives beside keys and reports.
///
/// It mirrors the tree: `version/v2/app_config_ios.json` becomes the archive at `version/v2/app_config_ios`. A `.json` file is
/// encoded as the message that phones expect there; a `.bin` file is `export.bin` itself. Hidden files and notes (`.md`) are
/// skipped.
struct StaticFiles: Equatable, Sendable {
    /// The archives in the order of their paths; each path occurs once.
    let archives: [StaticArchive]
    /// The problems in the order of their files. A problem affects only its own file.
    let problems: [StaticFileProblem]

    /// What looks like a mistake in files that are published, in the order of their paths.
    var notices: [StaticFileProblem] {
        archives.filter { !$0.notices.isEmpty }.map { StaticFileProblem(file: $0.file, reasons: $0.notices) }
    }

    /// The folder itself can't be read.
    struct FolderProblem: OperatorProblem {
        let folder: String
        var description: String { "The folder \(folder) of static files can't be read." }
    }

    /// The maximum size of a `.bin` file; the largest archives have a few million bytes.
    static let maximumBytes = 32 << 20
    /// The maximum size of a `.json` file; the largest messages have some hundred thousand bytes.
    static let maximumJSONBytes = 4 << 20

    /// Reads the folder, on a thread that may block.
    /// - Parameters:
    ///   - lowest: the lowest level of published keys, which configurations are held against.
    ///   - country: what ``StaticFileName/origin`` stands for in names and in JSON.
    /// - Throws: ``FolderProblem``.
    init(
        in folder: URL, publishingFrom lowest: TransmissionRiskLevel = .lowestPublished, of country: String
    ) throws(FolderProblem) {
        var archives: [StaticArchive] = []
        var reading = Reading(root: folder, lowestLevel: lowest, country: country)
        guard let files = reading.files() else { throw FolderProblem(folder: folder.path) }
        for file in files {
            do throws(StaticFileProblem) {
                archives.append(try reading.archive(of: file))
            } catch {
                reading.problems.append(error)
            }
        }
        let byPath = Dictionary(grouping: archives, by: \.path)
        self.archives = byPath.values.compactMap { $0.count == 1 ? $0.first : nil }.sorted { $0.path < $1.path }
        let rivals = byPath.values.filter { $0.count > 1 }.joined().map { archive in
            StaticFileProblem(file: archive.file, "Another file is for the same path, \(archive.path).")
        }
        problems = (reading.problems + rivals).sorted { $0.file < $1.file }
    }

    // MARK: - Reading

    private struct Reading {
        /// More folders than any path of the tree has.
        static let maximumDepth = 16

        let root: URL
        let lowestLevel: TransmissionRiskLevel
        let country: String
        var problems: [StaticFileProblem] = []

        /// All files, relative to the root; nil if the root can't be read.
        mutating func files() -> [String]? {
            guard let names = Self.names(in: root) else { return nil }
            return files(names, in: "", depth: 1)
        }

        private mutating func files(_ names: [String], in folder: String, depth: Int) -> [String] {
            var files: [String] = []
            for name in names {
                let path = folder + name
                let url = root.appending(path: path)
                guard Self.kind(of: url) == .typeDirectory else {
                    if !name.hasSuffix(".md") { files.append(path) }
                    continue
                }
                if depth == Self.maximumDepth {
                    problems.append(StaticFileProblem(file: path, "The folder is nested too deeply."))
                } else if let names = Self.names(in: url) {
                    files += self.files(names, in: "\(path)/", depth: depth + 1)
                } else {
                    problems.append(StaticFileProblem(file: path, "The folder can't be read."))
                }
            }
            return files
        }

        private static func names(in folder: URL) -> [String]? {
            try? FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasPrefix(".") }.sorted()
        }

        /// The kind of a link itself, not of its target.
        private static func kind(of url: URL) -> FileAttributeType? {
            try? FileManager.default.attributesOfItem(atPath: url.path)[.type] as? FileAttributeType
        }

        func archive(of file: String) throws(StaticFileProblem) -> StaticArchive {
            let name = try StaticFileName(file, of: country)
            let expected = staticContent(at: name.path)
            do throws(InvalidMessage) {
                let export: [UInt8]
                switch name.form {
                case .json:
                    guard let expected else {
                        throw InvalidMessage([
                            "No message is known for this path; put the bytes to sign into a .bin file."
                        ])
                    }
                    let json = try content(of: file, limit: StaticFiles.maximumJSONBytes)
                    export = try expected.encode(
                        json: json.replacing("\"\(StaticFileName.origin)\"".utf8, with: "\"\(country)\"".utf8))
                case .bytes:
                    export = try content(of: file, limit: StaticFiles.maximumBytes)
                    try expected?.review(encoded: export)
                }
                let contradictions = (expected as? StaticMessage)?
                    .contradictions(encoded: export, publishingFrom: lowestLevel)
                if let contradictions, !contradictions.isEmpty { throw InvalidMessage(contradictions) }
                return StaticArchive(
                    path: name.path, file: file, content: expected?.name, export: export,
                    notices: (expected as? StaticMessage)?.notices(encoded: export) ?? [])
            } catch {
                throw StaticFileProblem(file: file, reasons: error.findings)
            }
        }

        private func content(of file: String, limit: Int) throws(InvalidMessage) -> [UInt8] {
            // Links to files are followed, because container platforms mount configuration that way.
            let bytes: [UInt8]
            do {
                bytes = try RegularFile.read(root.appending(path: file).path, limit: limit)
            } catch {
                switch error {
                case .unreadable: throw InvalidMessage(["The file can't be read."])
                case .irregular: throw InvalidMessage(["This is not a file."])
                case .tooLarge: throw InvalidMessage(["The file has more than \(limit) bytes."])
                }
            }
            guard !bytes.isEmpty else { throw InvalidMessage(["The file is empty."]) }
            return bytes
        }
    }
}
