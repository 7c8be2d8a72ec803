import ExposureKeys
import FoundationEssentials
import Loop
import Synchronization

/// The static files that were left out when the folder was last read, for `/ready`: published archives stay, so nobody else notices.
final class RefusedFiles: Sendable {
    private let problems = Mutex<[StaticFileProblem]>([])

    func set(_ problems: [StaticFileProblem]) { self.problems.withLock { $0 = problems } }

    /// Reads the folder before the first run does, so that the first answer of `/ready` is complete.
    func look(into folder: URL, publishingFrom lowest: TransmissionRiskLevel, of country: String) async throws {
        do {
            let files = try await Blocking.run {
                try StaticFiles(in: folder, publishingFrom: lowest, of: country)
            }
            set(files.problems)
        } catch let problem as StaticFiles.FolderProblem {
            set([StaticFileProblem(problem)])
        }
    }

    /// A sentence for each file, then what is wrong with it.
    var warnings: [String] {
        problems.withLock { $0 }.map { problem in
            "The static file \(problem.file) is refused; what was published earlier stays. \(problem.reasons.joined(separator: " "))"
        }
    }
}
