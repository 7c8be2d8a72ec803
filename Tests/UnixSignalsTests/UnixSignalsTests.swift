import Glibc
import Testing
import UnixSignals

@Suite(.serialized) struct UnixSignalsTests {
    @Test("a trapped signal is delivered instead of ending the process, to each sequence that traps it")
    func delivered() async {
        let both = await UnixSignalsSequence(trapping: .sighup, .sigint)
        let one = await UnixSignalsSequence(trapping: .sighup)
        kill(getpid(), SIGHUP)
        for await signal in one {
            #expect(signal == .sighup)
            break
        }
        var seen: [UnixSignal] = []
        for await signal in both {
            seen.append(signal)
            if seen.count == 2 { break }
            kill(getpid(), SIGINT)
        }
        #expect(seen == [.sighup, .sigint])
        #expect(seen.map(\.description) == ["SIGHUP", "SIGINT"])
    }

    @Test("cancellation ends the wait for a signal")
    func cancelled() async {
        let task = Task {
            for await _ in await UnixSignalsSequence(trapping: .sigterm) {}
        }
        task.cancel()
        await task.value
    }

    @Test("a signal that nobody waits for any more doesn't end the process")
    func ignored() async {
        await #expect(processExitsWith: .exitCode(7)) {
            do {
                let sequence = await UnixSignalsSequence(trapping: .sigterm)
                kill(getpid(), SIGTERM)
                for await _ in sequence { break }
            }
            kill(getpid(), SIGTERM)
            exit(7)
        }
    }
}
