import ExposureKeys
import FoundationEssentials
import Loop
import Synchronization

/// The static files that were left out when the folder was last read, for `/ready`: published archives stay, so nobody else notices.
/// Then those that look like a mistake.
final class RefusedFiles: Sendable {
    private struct State {
        var refused: [StaticFileProblem] = []
        var notices: [StaticFileProblem] = []
    }

    private let state = Mutex(State())

    func set(_ refused: [StaticFileProblem], notices: [StaticFileProblem] = []) {
        state.withLock { $0 = State(refused: refused, notices: notices) }
    }

    /// Reads the folder before the first run does, so that the first answer of `/ready` is complete.
    func look(into folder: URL, publishingFrom lowest: TransmissionRiskLevel, of country: String) async throws {
        do {
            let files = try await Blocking.run {
                try StaticFiles(in: folder, publishingFrom: lowest, of: country)
            }
            set(files.problems, notices: files.notices)
        } catch let problem as StaticFiles.FolderProblem {
            set([StaticFileProblem(problem)])
        }
    }

    /// A sentence for each file, then what is wrong with it.
    var warnings: [String] {
        let state = state.withLock { $0 }
        return state.refused.map { problem in
            "The static file \(problem.file) is refused; what was published earlier stays. \(problem.reasons.joined(separator: " "))"
        }
            + state.notices.map { notice in
                "The static file \(notice.file) is published, but look at it: \(notice.reasons.joined(separator: " "))"
            }
    }
}
