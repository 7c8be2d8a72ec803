import CountryModel
import Foundation
import Phone

/// A simulated person's installation of the Further app, beside the one of ``Citizen``.
///
/// Every other app has one id for ever, and half of each kind sign what they post.
actor FurtherUser {
    /// Who it is in the model.
    nonisolated let person: PersonID
    /// The quarter of each hour in which the app wakes.
    nonisolated let slot: Int
    /// Whether the app has another id each day.
    nonisolated let hasDailyIDs: Bool
    private var phone: FurtherPhone
    private let key: FurtherKey?
    private var isKeyRegistered = false
    private var list: (tag: String, ids: Set<UUID>)?
    private let services: CitizenServices
    private var news: [News] = []

    /// Of which ids an app has told its owner, and how many it said they were.
    struct News: Sendable {
        let ids: Set<UUID>
        let count: Int
        let at: Date
    }

    /// - Parameter device: says when the app wakes.
    init(_ person: PersonID, device: PhoneClass, services: CitizenServices) {
        self.person = person
        self.services = services
        slot = Int(device.phase) / 15
        hasDailyIDs = person.rawValue.isMultiple(of: 2)
        phone = FurtherPhone(identity: hasDailyIDs ? .daily() : .lasting(UUID()))
        key = person.rawValue % 4 < 2 ? FurtherKey() : nil
    }

    // MARK: What happens to it

    /// The id that it broadcasts.
    func broadcast(at instant: Date) -> UUID? { phone.broadcast(at: instant) }

    /// Another phone is near for the time of a contact.
    func hear(_ id: UUID, during contact: Contact) {
        phone.connect(id, at: contact.start.date)
        phone.disconnect(id, at: contact.end.date)
    }

    /// The owner learns a result, and answers the questionnaire at once. After a positive one nobody answers again.
    func learn(_ isPositive: Bool, at instant: Date) {
        guard phone.questionnaire.answers?.testResult != true else { return }
        phone.answer(.init(feelingSick: isPositive, hasBeenTested: true, testResult: isPositive), at: instant)
    }

    /// The app posts what it has to, and asks for the list if it is time. What fails is done when it wakes next.
    func wake(at now: Date) async {
        await post(at: now)
        guard let question = phone.look(at: now, zone: 0), let listed = try? await listed() else { return }
        let known = told
        let update = phone.receive(listed: listed, to: question, at: now)
        news.append(News(ids: told.subtracting(known), count: update.exposures, at: now))
    }

    /// What it has told since the last call.
    func takeNews() -> [News] {
        defer { news = [] }
        return news
    }

    // MARK: Its requests

    private func post(at now: Date) async {
        var random = SystemRandomNumberGenerator()
        guard let post = phone.post(at: now, using: &random) else { return }
        do {
            if let key, !isKeyRegistered {
                try await services.apps.register(key)
                isKeyRegistered = true
            }
            try await services.apps.send(post, signedBy: key, at: now)
            phone.confirm(post)
        } catch {
            // It is posted again when the app wakes next.
        }
    }

    /// The list, which isn't sent again to an app that has it.
    private func listed() async throws -> Set<UUID> {
        if case .changed(let ids, let tag, _, _) = try await services.packages.positiveIDs(ifNot: list?.tag) {
            list = (tag, ids)
        }
        return list?.ids ?? []
    }

    private var told: Set<UUID> {
        Set(phone.contacts.contacts.filter(\.hasReceivedNotification).map(\.personUUID))
    }
}
