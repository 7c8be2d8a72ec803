/// Why a static file isn't published, or what looks like a mistake in one that is.
struct StaticFileProblem: Error, Equatable, Sendable {
    /// Relative to the folder of static files; characters that could upset a terminal or a log are replaced.
    let file: String
    /// Plain sentences, at least one.
    let reasons: [String]

    init(file: String, _ reason: String) {
        self.init(file: file, reasons: [reason])
    }

    init(file: String, reasons: [String]) {
        self.file = String(file.map { $0.isASCII && $0 >= " " && $0 != "\u{7F}" ? $0 : "?" })
        self.reasons = reasons
    }

    /// The folder itself.
    init(_ problem: StaticFiles.FolderProblem) {
        self.init(file: problem.folder, "The folder can't be read.")
    }
}
