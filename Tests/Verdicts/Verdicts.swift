import Glibc

/// Answers the cases of `Tests/Live/proof`: what the suite's own code makes of bytes that a script has made.
///
/// Each case comes on the standard input as its fields, and for each goes one line out: `accept` and what was read or computed,
/// or `refuse` and why, and then the microseconds of this thread's processor time, with tabs between. With `--naive` certificates
/// count if their signatures do, or even less: a control, which has to be found out.
@main
enum Verdicts {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.isEmpty || arguments == ["--naive"] else {
            print("usage: verdicts [--naive], with the cases of Tests/Live/proof on the standard input")
            exit(arguments == ["--help"] ? 0 : 2)
        }
        signal(SIGPIPE, SIG_IGN)
        let isNaive = !arguments.isEmpty
        var input = CaseInput()
        while let one = input.next() {
            let start = clock()
            let verdict: String
            do {
                verdict = "accept\t" + (try answer(one, isNaive: isNaive))
            } catch {
                // An error's own description has no line ends; the library's words have none either.
                verdict = "refuse\t\(error)"
            }
            print("\(verdict)\t\(clock() - start)")
            fflush(nil)
        }
    }

    private static func answer(_ one: Case, isNaive: Bool) throws -> String {
        guard let answer = Self.answers[one.kind] else { throw CaseProblem.unknownKind(one.kind) }
        var one = one
        one.isNaive = isNaive
        return try answer(&one)
    }

    /// What answers each kind of case.
    private static let answers = certificateAnswers.merging(cryptographyAnswers) { first, _ in first }
        .merging(formatAnswers) { first, _ in first }

    /// Microseconds of this thread.
    private static func clock() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000 + time.tv_nsec / 1000
    }
}
