import Glibc
import Synchronization

/// A progress bar on standard error, for long commands.
///
/// It is hidden if standard error isn't a terminal: a service's progress is in its log.
package final class ProgressBar: Sendable {
    private struct State {
        var step = ""
        var total = 0
        var done = 0
        var isDrawn = false
    }

    private let state = Mutex(State())
    private let draw: (@Sendable (String) -> Void)?

    private static let width = 30

    /// Creates a bar with custom output.
    ///
    /// - Parameter draw: receives the terminal output with control characters; nil draws nothing.
    package init(draw: (@Sendable (String) -> Void)?) { self.draw = draw }

    /// A bar that shows nothing.
    package static let hidden = ProgressBar(draw: nil)

    /// A bar on standard error if that is a terminal.
    package static var onTerminal: ProgressBar {
        guard isatty(STDERR_FILENO) == 1 else { return .hidden }
        return ProgressBar { text in
            var text = text
            text.withUTF8 { _ = Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
        }
    }

    /// Whether the bar is drawn.
    package var isShown: Bool { draw != nil }

    /// Begins a step, described in a few words, with this many parts.
    package func begin(_ step: String, total: Int) {
        guard draw != nil else { return }
        finish()
        state.withLock { $0 = State(step: step, total: total) }
        advance(by: 0)
    }

    /// Reports finished parts.
    package func advance(by parts: Int = 1) {
        guard let draw else { return }
        let line: String? = state.withLock { state in
            let before = Self.line(state)
            state.done = min(state.total, state.done + parts)
            let line = Self.line(state)
            guard state.total > 0, line != before || !state.isDrawn else { return nil }
            state.isDrawn = true
            return line
        }
        if let line { draw("\r" + line) }
    }

    /// Ends the line, so that the next output starts below it.
    package func finish() {
        guard let draw else { return }
        let wasDrawn = state.withLock { state in
            defer { state.isDrawn = false }
            return state.isDrawn
        }
        if wasDrawn { draw("\n") }
    }

    private static func line(_ state: State) -> String {
        let filled = state.total > 0 ? width * state.done / state.total : 0
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
        return "\(state.step) \(bar) \(state.done) of \(state.total)"
    }
}
