import Credentials
import FoundationEssentials

/// What APNs last said of a token, as the table has it.
enum Standing: Int16, Sendable {
    /// Nothing yet.
    case new = 0
    case accepted = 1
    case refused = 2
}

/// A registration as a wave reads it.
struct WaveRow: Sendable {
    let instance: Digest
    let token: Digest
    let sealed: [UInt8]
    let environment: APNsEnvironment
    let standing: Standing
}

/// Registrations that are sent together, in the order of their hashes, which is none.
struct WavePage: Sendable {
    /// The most rows of a page: the client takes as many pushes at a time, and a process that dies repeats as many.
    static let size = 1000

    /// What is sent, and to whom.
    let pushes: [(row: WaveRow, push: SilentPush)]
    /// Rows whose token doesn't open, for want of the key it was sealed with.
    let unreadable: Int
    /// The hash of the last row.
    let end: [UInt8]
    /// Whether it was read up to the last registration.
    let isLast: Bool

    /// Nil without rows.
    /// - Parameter isRest: whether they are what was left of a page that somebody began to send.
    init?(_ rows: [WaveRow], of wave: Wave, opening vault: TokenVault, isRest: Bool = false) {
        guard let last = rows.last else { return nil }
        pushes = rows.compactMap { row in
            guard let text = vault.open(row.sealed, hash: row.token),
                let token = text.exposed({ PushToken($0) })
            else { return nil }
            return (
                row,
                SilentPush(
                    token: token, environment: row.environment,
                    id: vault.pushID(wave: wave.id.bytes, instance: row.instance),
                    isSuspect: row.standing != .accepted)
            )
        }
        unreadable = rows.count - pushes.count
        end = last.instance.bytes
        isLast = !isRest && rows.count < Self.size
    }
}
