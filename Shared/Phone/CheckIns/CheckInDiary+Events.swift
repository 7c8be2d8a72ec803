import ExposureKeys
package import FoundationEssentials
package import Venues

/// A tracer's entry that concerns a visit.
package struct VenueAlert: Codable, Hashable, Sendable {
    /// The entry.
    package let event: UUID
    /// The visit.
    package let checkIn: UInt32
    /// Of the entry. A greater one replaces it.
    package let revision: Int32
    private let severityText: String
    private let messageText: String
    /// Whether the entry was revoked. It is kept so that an old copy of the list can't bring it back.
    package internal(set) var isRevoked = false

    init(_ record: VenueEventRecord, checkIn: UInt32) {
        event = record.event
        self.checkIn = checkIn
        revision = record.revision
        severityText = record.severity.rawValue
        messageText = record.message.rawValue
    }

    /// What the entry asks of people; to know of it, if another version of the app kept what this one doesn't know.
    package var severity: VenueSeverity { VenueSeverity(rawValue: severityText) ?? .inform }
    /// What the app says; to watch for symptoms, likewise.
    package var message: VenueMessage { VenueMessage(rawValue: messageText) ?? .watchForSymptoms }

    /// Whether the owner would be told the same.
    func says(theSameAs other: VenueAlert) -> Bool {
        severityText == other.severityText && messageText == other.messageText
    }
}

extension CheckInDiary {
    /// What the owner is to be told after a list of tracers' entries was compared.
    package struct EventNews: Hashable, Sendable {
        /// To be shown: one for each entry that is new, or that asks something else than before.
        package var alerts: [VenueAlert] = []
        /// Entries whose notifications are to be taken back.
        package var revoked: Set<UUID> = []
    }

    /// What tracers' entries that aren't revoked ask of the owner.
    package var currentAlerts: [VenueAlert] { alerts.filter { !$0.isRevoked } }

    /// Compares a published list of tracers' entries with the diary, by tag and overlap. Nothing is sent, whatever is found.
    ///
    /// An entry that is missing from the list changes nothing: only a tombstone, or a later revision of another time, takes it back.
    /// - Parameters:
    ///   - records: of a list whose signature was right.
    ///   - tombstones: of the same list.
    package mutating func compare(
        with records: [VenueEventRecord], tombstones: [VenueTombstone], at now: Date
    ) -> EventNews {
        var news = EventNews()
        let visits = visitsByTag()
        for (event, records) in Dictionary(grouping: records, by: \.event) {
            guard let revision = records.map(\.revision).max() else { continue }
            let known = alerts.filter { $0.event == event }
            guard known.allSatisfy({ $0.revision < revision }) else { continue }
            var found: [VenueAlert] = []
            for record in records where record.revision == revision {
                let window = record.window.start.startSeconds..<record.window.end.startSeconds
                for visit in visits[record.tag] ?? [] where !found.contains(where: { $0.checkIn == visit.id }) {
                    let together = visit.seconds(until: now.wholeSeconds).clamped(to: window)
                    if !together.isEmpty { found.append(VenueAlert(record, checkIn: visit.id)) }
                }
            }
            // Of several visits, the first stands for the entry in what the owner is told.
            let wasShown = known.first { !$0.isRevoked }
            alerts.removeAll { $0.event == event }
            alerts += found
            if let first = found.min(by: { $0.checkIn < $1.checkIn }) {
                if wasShown.map({ !$0.says(theSameAs: first) }) ?? true { news.alerts.append(first) }
            } else if wasShown != nil {
                news.revoked.insert(event)
            }
        }
        for tombstone in tombstones {
            for place in alerts.indices where alerts[place].event == tombstone.event && !alerts[place].isRevoked {
                guard alerts[place].revision <= tombstone.revision else { continue }
                alerts[place].isRevoked = true
                news.revoked.insert(tombstone.event)
            }
        }
        news.alerts.removeAll { news.revoked.contains($0.event) }
        return news
    }

    /// The visits by the tags that an entry about them may have.
    private func visitsByTag() -> [VenueTag: [CheckIn]] {
        var visits: [VenueTag: [CheckIn]] = [:]
        for checkIn in checkIns {
            switch checkIn.code?.venue {
            case .seed(let seed):
                let keys = seed.keys
                // A tag holds for a day, and an entry over midnight has a record for each.
                for day in Day(containing: checkIn.start).number...Day(containing: checkIn.end).number {
                    visits[keys.tag(onDay: UInt32(bitPattern: day)), default: []].append(checkIn)
                }
            case .numbered(let number): visits[number.tag, default: []].append(checkIn)
            case .traceLocation, nil: break
            }
        }
        return visits
    }
}
