import ExposureKeys
import FederationFormat
import FoundationEssentials

/// How the exchange with a gateway stands, for operators and metrics.
struct FederationStatus: Sendable {
    /// The number of batches by direction (`out`, `in`) and state.
    var batches: [String: [String: Int]] = [:]
    /// Since when the oldest batch waits to be sent; nil if none does.
    var oldestOutgoing: Date?
    /// Since when the oldest batch waits to be read.
    var oldestIncoming: Date?
    /// When each country's last verified upload was read.
    var lastImports: [CountryCode: Date] = [:]
    /// The last slot that was decided, and how many keys it took.
    var lastSlot: Slot?
    /// Keys that arrived at the gateway in the kept 15 days.
    var keysSent = 0
    /// Keys that were imported in the kept 15 days.
    var keysImported = 0
    /// The latest hour of import that is complete.
    var lastHour: Hour?
    /// Batches that somebody has to look at, with the reason, newest first.
    var troubled: [Troubled] = []
    /// Calls that belong to no batch and failed when they were last tried.
    var failing: [FailingCalls.Failure] = []
    /// Batches that wait after a first attempt, the oldest first.
    var delayed: [Troubled] = []

    struct Slot: Sendable, Equatable {
        let hour: Hour
        let keys: Int
    }

    struct Troubled: Sendable, Equatable {
        let direction: String
        let tag: String
        let state: String
        let reason: String
        /// What the gateway said.
        var answer: String?
        /// When it is tried next; nil if it isn't.
        var dueAt: Date?
    }

    /// Lines for an operator.
    func lines(gateway: String) -> [String] {
        var lines: [String] = []
        if let slot = lastSlot {
            lines.append("\(gateway): the slot that ended \(Self.text(slot.hour.end)) took \(slot.keys) keys.")
        } else {
            lines.append("\(gateway): no slot has been decided yet.")
        }
        let waiting = batches["out"]?[OutgoingState.waiting.rawValue] ?? 0
        lines.append(
            "\(keysSent) keys of 15 days have arrived there; \(waiting) batches wait to be sent"
                + (oldestOutgoing.map { ", the oldest since \(Self.text($0))." } ?? "."))
        let announced = batches["in"]?[IncomingState.announced.rawValue] ?? 0
        lines.append(
            "\(keysImported) keys of 15 days were imported; \(announced) batches wait to be read"
                + (oldestIncoming.map { ", the oldest since \(Self.text($0))." } ?? "."))
        lines.append(
            lastHour.map { "Imported keys may be published up to the hour that ended \(Self.text($0.end))." }
                ?? "No hour of import is complete: nothing imported is published.")
        for (country, last) in lastImports.sorted(by: { $0.key < $1.key }) {
            lines.append("\(country): last verified upload read \(Self.text(last)).")
        }
        for failure in failing {
            let what = failure.call == FailingCalls.Call.look.rawValue ? "Looking for batches" : "The callback"
            lines.append(
                "\(what) has failed since \(Self.text(failure.since)): \(failure.reason)"
                    + (failure.answer.map { ", and the gateway says: \($0)" } ?? "."))
        }
        for batch in delayed + troubled {
            lines.append(
                "\(batch.tag) (\(batch.direction)) is \(batch.state): \(batch.reason)"
                    + (batch.answer.map { ", and the gateway says: \($0)" } ?? ".")
                    + (batch.dueAt.map { " It is tried next at \(Self.text($0))." } ?? ""))
        }
        if !troubled.isEmpty || !delayed.isEmpty {
            lines.append("`federation explain BATCH` tells more; `federation retry BATCH` tries again.")
        }
        return lines
    }

    private static func text(_ instant: Date) -> String { instant.formatted(.iso8601) }
}

/// Everything that is known about a batch, for `federation explain`.
struct BatchExplanation: Sendable {
    let direction: String
    let tag: String
    let state: String
    let reason: String?
    /// What the gateway said.
    var answer: String?
    let keys: Int
    /// Of an incoming batch.
    var imported: Int?
    let attempts: Int
    let changedAt: Date
    /// When it is tried next; nil if it isn't.
    var dueAt: Date?
    var nextTag: String?
    var uploads: [ReadBatch.Upload] = []
    var leftOut: [(reason: String, keys: Int)] = []

    /// Countries of which several uploads don't match, and how many: the gateway numbers keys as they arrive, whatever upload they are of.
    private var interleaved: [CountryCode: Int] {
        let flaw = AuditFlaw.signature(.mismatch).label
        let countries = uploads.filter { $0.outcome == flaw }.compactMap(\.country)
        return Dictionary(countries.map { ($0, 1) }, uniquingKeysWith: +).filter { $0.value > 1 }
    }

    /// Lines for an operator.
    var lines: [String] {
        let what = direction == "out" ? "An own batch" : "A batch of the gateway"
        var lines = ["\(tag): \(what) with \(keys) keys, \(state)\(reason.map { " (\($0))" } ?? "")."]
        if let answer { lines.append("The gateway says: \(answer)") }
        if let imported { lines.append("\(imported) keys were imported.") }
        lines.append("Tried \(attempts) times, last changed \(changedAt.formatted(.iso8601)).")
        if let dueAt { lines.append("It is tried next at \(dueAt.formatted(.iso8601)).") }
        if direction == "in" { lines.append(nextTag.map { "\($0) follows." } ?? "Nothing is known to follow.") }
        for (number, upload) in uploads.enumerated() {
            lines.append(
                "Upload \(number + 1) of \(upload.country?.text ?? "an unknown country"), \(upload.keys) keys: \(upload.outcome)."
            )
        }
        for (country, count) in interleaved.sorted(by: { $0.key < $1.key }) {
            lines.append(
                "\(count) uploads of \(country) don't match: if \(country) sent them at the same moment, the gateway mixed their keys, and no "
                    + "retry takes them apart. Ask \(country)'s operator whether it does, and to send one after the other; tell the "
                    + "gateway's operator.")
        }
        for (reason, keys) in leftOut { lines.append("\(keys) keys left out: \(reason).") }
        return lines
    }
}
