/// Why a file of the drop-in folder isn't published.
struct StaticFileProblem: Error, Equatable, Sendable {
    /// Relative to the drop-in folder; fit to be shown, whatever its name has in it.
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
}
