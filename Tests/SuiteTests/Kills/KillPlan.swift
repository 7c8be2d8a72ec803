import Foundation

/// How many processes to kill, and when.
enum KillPlan {
    /// How often to kill at random moments; `Tests/Live/proof.sh kills --kills N` sets it. One more kill ends the tests that expect
    /// calls without an answer.
    static let kills = number("VIGIL_KILLS") ?? 8
    /// The seed for the times of the kills; `Tests/Live/proof.sh kills --seed N` sets it.
    static let seed = UInt64(number("VIGIL_KILLS_SEED") ?? 1)
    /// A kill takes a second or two.
    static let minutes = 6 + kills / 10

    /// A phone gives up after days; a test whose callers wait for longer than this has failed. A failover takes up to half a minute,
    /// and a cluster that lost everybody who may decide waits for them.
    static let patience: Duration = FailoverCluster.current == nil ? .seconds(60) : .seconds(240)

    static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }
}
