import ExposureKeys

package import enum Crypto.Curve25519

/// What an inbox had under one hour, opened. It doesn't say what came together.
package protocol HourContent: Sendable {
    /// What one row has.
    associatedtype Row: Sendable

    /// Nothing.
    init()
    /// How many rows there were, each of one person.
    var people: Int { get }
    /// Opens a row; nil if it wasn't sealed to this key or has been changed. It is called on several threads.
    static func open(_ row: SealedRow, with key: Curve25519.KeyAgreement.PrivateKey) -> Row?
    /// Adds what a row has.
    mutating func add(_ row: Row)
    /// Adds what another hour had.
    mutating func add(_ other: Self)
}

/// The opened content of an inbox, by the hour it was sealed to.
struct OpenedInbox<Content: HourContent> {
    private(set) var hours: [Hour: Content] = [:]
    /// Rows that no key opens, because this suite didn't write them or they were damaged.
    private(set) var unreadable = 0
    private let files: HourKeyFiles
    private var keys: [Hour: Curve25519.KeyAgreement.PrivateKey] = [:]

    init(files: HourKeyFiles) { self.files = files }

    /// Opens rows on all cores.
    /// - Throws: ``HourKeyProblem`` if an hour with rows lacks its private key. Nothing is folded and nothing is lost then:
    ///   the directory is more likely mounted wrongly than destroyed.
    mutating func add(_ rows: [SealedRow]) throws {
        for hour in Set(rows.map(\.hour)) where keys[hour] == nil { keys[hour] = try files.read(hour) }
        let keys = keys
        let opened = rows.mappedOnAllCores { row in
            (hour: row.hour, content: keys[row.hour].flatMap { Content.open(row, with: $0) })
        }
        for (hour, content) in opened {
            guard let content else {
                unreadable += 1
                continue
            }
            hours[hour, default: Content()].add(content)
        }
    }
}
