import Foundation

/// How many processes to kill, and when.
enum KillPlan {
    /// How often to kill at random moments; `Tests/Live/kills.sh --kills N` sets it. One more kill ends the tests that expect
    /// calls without an answer.
    static let kills = number("VIGIL_KILLS") ?? 8
    /// The seed for the times of the kills; `Tests/Live/kills.sh --seed N` sets it.
    static let seed = UInt64(number("VIGIL_KILLS_SEED") ?? 1)
    /// A kill takes a second or two.
    static let minutes = 6 + kills / 10

    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }
}
