package import FoundationEssentials

/// Whom a phone has met, as the Further app keeps it (further, `README.md`, "Contact Interactions").
package struct ContactRecord: Codable, Hashable, Sendable {
    /// Another phone. The names in JSON are the app's.
    package struct Contact: Codable, Hashable, Sendable {
        /// The other phone's id.
        package let personUUID: UUID
        /// When it last came into range, in UNIX seconds.
        package fileprivate(set) var connectTime: Double
        /// When it went out of range; nil while it is near, and if the connection ended without the phone's notice.
        package fileprivate(set) var disconnectTime: Double?
        /// Whether the user was told that it has reported a positive test.
        package fileprivate(set) var hasReceivedNotification = false
    }

    private var byID: [UUID: Contact] = [:]

    /// Days for which a contact is kept: the 14 before a report in which it may have been infectious, and the 14 for which the report is
    /// listed. The published app keeps it for ever, which nothing needs.
    package static let daysKept = 28

    /// Nobody was met.
    package init() {}

    /// In the order in which they were met last.
    package var contacts: [Contact] {
        byID.values.sorted { ($0.connectTime, $0.personUUID.uuidString) < ($1.connectTime, $1.personUUID.uuidString) }
    }

    /// The record of another phone; nil if it wasn't met.
    package subscript(person: UUID) -> Contact? { byID[person] }

    /// Another phone comes into range. The record of one that was met before stays, with new times.
    package mutating func connect(_ person: UUID, at now: Date) {
        var contact = byID[person] ?? Contact(personUUID: person, connectTime: 0)
        contact.connectTime = now.timeIntervalSince1970
        contact.disconnectTime = nil
        byID[person] = contact
    }

    /// It is out of range. One that never came into range isn't known.
    package mutating func disconnect(_ person: UUID, at now: Date) {
        guard let contact = byID[person], contact.disconnectTime == nil else { return }
        byID[person]?.disconnectTime = max(now.timeIntervalSince1970, contact.connectTime)
    }

    /// Those of the listed ids that were met and of which the user hasn't been told. They count as told from now on.
    package mutating func tell(listed: some Sequence<UUID>) -> [UUID] {
        var told: [UUID] = []
        for id in listed where byID[id]?.hasReceivedNotification == false {
            byID[id]?.hasReceivedNotification = true
            told.append(id)
        }
        return told
    }

    /// Forgets contacts of long ago.
    package mutating func live(until now: Date) {
        let oldest = now.timeIntervalSince1970 - Double(Self.daysKept) * 86_400
        byID = byID.filter { ($0.value.disconnectTime ?? $0.value.connectTime) >= oldest }
    }
}
