import Credentials
import FoundationEssentials

/// The last reply of APNs for a token, as the table stores it.
enum Standing: Int16, Sendable {
    /// No reply yet.
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

/// Registrations that are sent together, in the order of their hashes, which is random.
struct WavePage: Sendable {
    /// The maximum number of rows: as many as the client accepts in one call, and as a process repeats after a crash.
    static let size = 1000

    /// The pushes with their rows.
    let pushes: [(row: WaveRow, push: SilentPush)]
    /// Rows whose token can't be decrypted with this key.
    let unreadable: Int
    /// The hash of the last row.
    let end: [UInt8]
    /// Whether it was read up to the last registration.
    let isLast: Bool

    /// Nil without rows.
    /// - Parameter isRest: whether the rows are the rest of a page whose sending began.
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
