import ExposureFormat
import Foundation
import Running

/// The drop-in folder: files that are published as signed archives, beside the keys and reports (Corona-Warn-App sheet,
/// 5.1).
///
/// It mirrors the tree: `version/v2/app_config_ios.json` becomes the archive at `version/v2/app_config_ios`. A `.json`
/// is encoded as the message that phones expect there; a `.bin` is `export.bin` itself. What begins with a point, and
/// notes (`.md`), are passed over.
struct StaticFiles: Equatable, Sendable {
    /// In the order of their paths, each path once.
    let archives: [StaticArchive]
    /// In the order of their files. They hide nothing but themselves.
    let problems: [StaticFileProblem]

    /// The folder itself can't be read.
    struct FolderProblem: OperatorProblem {
        let folder: String
        var description: String { "The folder \(folder) of static files can't be read." }
    }

    /// The most bytes of a `.bin`; the largest of the contract have a few million.
    static let mostBytes = 32 << 20
    /// The most bytes of a `.json`; those of the contract have some hundred thousand at most.
    static let mostJSON = 4 << 20

    /// Reads the folder, on a thread that may block.
    /// - Throws: ``FolderProblem``.
    init(in folder: URL) throws(FolderProblem) {
        var archives: [StaticArchive] = []
        var reading = Reading(root: folder)
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
        /// Deeper than any path of the contract.
        static let deepest = 16

        let root: URL
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
                if depth == Self.deepest {
                    problems.append(StaticFileProblem(file: path, "The folder lies too deep."))
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

        /// Of a link, not of what it leads to.
        private static func kind(of url: URL) -> FileAttributeType? {
            try? FileManager.default.attributesOfItem(atPath: url.path)[.type] as? FileAttributeType
        }

        func archive(of file: String) throws(StaticFileProblem) -> StaticArchive {
            let name = try StaticFileName(file)
            let message = StaticMessage(path: name.path)
            switch name.form {
            case .json:
                guard let message else {
                    throw StaticFileProblem(
                        file: file, "No message is known for this path; put what is to be signed into a .bin.")
                }
                let json = try content(of: file, most: StaticFiles.mostJSON)
                do throws(InvalidMessage) {
                    let export = try message.encode(json: json)
                    return StaticArchive(path: name.path, file: file, message: message, export: export)
                } catch {
                    throw StaticFileProblem(file: file, reasons: error.findings)
                }
            case .bytes:
                let export = try content(of: file, most: StaticFiles.mostBytes)
                do throws(InvalidMessage) {
                    try message?.review(encoded: export)
                } catch {
                    throw StaticFileProblem(file: file, reasons: error.findings)
                }
                return StaticArchive(path: name.path, file: file, message: message, export: export)
            }
        }

        private func content(of file: String, most: Int) throws(StaticFileProblem) -> [UInt8] {
            // Links are followed to files, which is how container platforms mount configuration. Nothing else is opened:
            // reading a pipe might never end.
            let url = root.appending(path: file).resolvingSymlinksInPath()
            guard Self.kind(of: url) == .typeRegular else { throw StaticFileProblem(file: file, "This is not a file.") }
            let data: Data
            do {
                let handle = try FileHandle(forReadingFrom: url)
                defer { try? handle.close() }
                data = try handle.read(upToCount: most + 1) ?? Data()
            } catch {
                throw StaticFileProblem(file: file, "The file can't be read.")
            }
            guard !data.isEmpty else { throw StaticFileProblem(file: file, "The file is empty.") }
            guard data.count <= most else {
                throw StaticFileProblem(file: file, "The file has more than \(most) bytes.")
            }
            return Array(data)
        }
    }
}
