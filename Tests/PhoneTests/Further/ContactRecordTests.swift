import Foundation
import Phone
import Testing

@Suite struct ContactRecordTests {
    private let start = Date(timeIntervalSince1970: 1_588_000_000)
    private let person = UUID()

    @Test("a person who is met again has new times, and stays told")
    func metAgain() throws {
        var record = ContactRecord()
        record.connect(person, at: start)
        record.disconnect(person, at: start + 90)
        #expect(record.tell(listed: [person]) == [person])
        record.connect(person, at: start + 3600)
        #expect(record.contacts.count == 1)
        let near = try #require(record[person])
        #expect(near.connectTime == start.timeIntervalSince1970 + 3600)
        #expect(near.disconnectTime == nil)
        #expect(near.hasReceivedNotification)
        record.disconnect(person, at: start + 3700)
        #expect(record[person]?.disconnectTime == start.timeIntervalSince1970 + 3700)
    }

    @Test("of a listed id the user is told once, and of strangers never")
    func once() {
        var record = ContactRecord()
        record.connect(person, at: start)
        #expect(record.tell(listed: [UUID(), person, person, UUID()]) == [person])
        #expect(record.tell(listed: [person]).isEmpty)
    }

    @Test("whoever never came into range can't leave it, and nobody leaves before they came")
    func disconnecting() {
        var record = ContactRecord()
        record.disconnect(person, at: start)
        #expect(record.contacts.isEmpty)
        record.connect(person, at: start)
        record.disconnect(person, at: start - 60)
        #expect(record[person]?.disconnectTime == start.timeIntervalSince1970)
        record.disconnect(person, at: start + 60)
        #expect(record[person]?.disconnectTime == start.timeIntervalSince1970)
    }

    @Test("a contact is kept for 28 days after its end")
    func forgetting() {
        var record = ContactRecord()
        record.connect(person, at: start)
        record.disconnect(person, at: start + 90)
        record.live(until: start + 90 + 28 * 86_400)
        #expect(record[person] != nil)
        record.live(until: start + 91 + 28 * 86_400)
        #expect(record.contacts.isEmpty)
    }

    @Test("a contact has the app's names in JSON, and comes back from it")
    func json() throws {
        var record = ContactRecord()
        record.connect(person, at: start)
        record.disconnect(person, at: start + 90)
        let contact = try #require(record[person])
        let object = try JSONSerialization.jsonObject(with: JSONEncoder().encode(contact)) as? [String: Any]
        #expect(
            Set(try #require(object).keys) == [
                "personUUID", "connectTime", "disconnectTime", "hasReceivedNotification",
            ]
        )
        #expect(object?["personUUID"] as? String == person.uuidString)
        #expect(try JSONDecoder().decode(ContactRecord.self, from: JSONEncoder().encode(record)) == record)
    }
}
