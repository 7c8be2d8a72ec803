import Running
import Synchronization
import Testing

@Suite struct ProgressBarTests {
    @Test("it draws each change over the last one, a line for each step, and nothing where nobody looks")
    func drawing() {
        let drawn = Mutex<[String]>([])
        let bar = ProgressBar { text in drawn.withLock { $0.append(text) } }
        bar.begin("Hours", total: 2)
        bar.advance()
        bar.advance(by: 5)
        bar.begin("Nothing", total: 0)
        bar.advance()
        bar.begin("Packages", total: 1)
        bar.finish()
        bar.finish()
        let full = String(repeating: "█", count: 30)
        let empty = String(repeating: "░", count: 30)
        #expect(
            drawn.withLock { $0 } == [
                "\rHours \(empty) 0 of 2", "\rHours \(full.prefix(15))\(empty.prefix(15)) 1 of 2",
                "\rHours \(full) 2 of 2", "\n", "\rPackages \(empty) 0 of 1", "\n",
            ])
        ProgressBar.hidden.begin("Hours", total: 2)
        ProgressBar.hidden.advance()
    }
}
