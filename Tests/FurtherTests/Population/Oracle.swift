import Foundation

/// Says who has to be told of whom, from what happened to people: it knows neither records nor lists, and of ids only who sent which.
struct Oracle {
    /// An id as somebody heard it, and whose it was.
    struct Sent: Hashable {
        let id: UUID
        let owner: Int
        let at: Date
        /// Whether the owner has another id each day: such ids come and go within six hours.
        let isOfDay: Bool
    }

    /// Seconds within which a list changes: that of one id at the next snapshot, and that of a day's id within six hours.
    private static func delay(of sent: Sent) -> TimeInterval { sent.isOfDay ? 6 * 3600 + 300 : 300 }

    private var met: [Int: [Sent]] = [:]
    /// When the server took a person's answers, and whether they were positive then.
    private var taken: [Int: [(at: Date, isPositive: Bool)]] = [:]
    private(set) var told: [Int: Set<UUID>] = [:]
    private(set) var violations: [String] = []

    mutating func meet(_ person: Int, _ sent: Sent) { met[person, default: []].append(sent) }

    mutating func take(from person: Int, isPositive: Bool, at now: Date) {
        taken[person, default: []].append((now, isPositive))
    }

    /// A phone has told its owner of these ids, having read the list that was valid at an instant.
    mutating func judge(_ person: Int, toldOf news: Set<UUID>, counted: Int, at now: Date) {
        let known = told[person] ?? []
        let all = met[person] ?? []
        let must = Set(all.filter { mustBeListed($0, at: now) }.map(\.id))
        let may = Set(all.filter { mayBeListed($0, at: now) }.map(\.id))
        if !known.isDisjoint(with: news) { violations.append("\(person) was told twice") }
        if news.count != counted { violations.append("\(person) was told of \(counted), not of \(news.count)") }
        if !news.isSubset(of: may) { violations.append("\(person) was told without reason at \(now)") }
        if !must.isSubset(of: known.union(news)) { violations.append("\(person) wasn't told at \(now)") }
        told[person] = known.union(news)
    }

    /// Those that count for an id: day ids are reported once they were sent, others whenever.
    private func answers(about sent: Sent, until now: Date) -> [(at: Date, isPositive: Bool)] {
        (taken[sent.owner] ?? []).filter { $0.at <= now && (!sent.isOfDay || !$0.isPositive || $0.at >= sent.at) }
    }

    private func mustBeListed(_ sent: Sent, at now: Date) -> Bool {
        guard sent.at <= now else { return false }
        let answers = answers(about: sent, until: now)
        guard let last = answers.last, last.isPositive else { return false }
        // Since when they are positive without a break.
        let since = answers.reversed().prefix { $0.isPositive }.last?.at ?? now
        return since <= now - Self.delay(of: sent)
    }

    private func mayBeListed(_ sent: Sent, at now: Date) -> Bool {
        let answers = answers(about: sent, until: now)
        guard let positive = answers.last(where: \.isPositive) else { return false }
        let end = answers.first { $0.at > positive.at }?.at
        return end.map { $0 > now - Self.delay(of: sent) } ?? true
    }
}
