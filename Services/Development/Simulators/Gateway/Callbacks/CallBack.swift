import ExposureKeys
import FederationFormat
import FoundationEssentials
import HTTPContract
import Running

extension SimulatedGateway {
    /// Tells everybody who wants it of new batches: for each subscription in the order of the batches, and none before the one
    /// in front of it succeeded.
    package func callBack() async {
        let subscriptions = state.with(at: clock.now) { $0.callbacks.subscriptions.map(\.number) }
        await withTaskGroup { group in
            for number in subscriptions { group.addTask { await self.callBack(number) } }
        }
    }

    private func callBack(_ number: Int) async {
        while !Task.isCancelled, let due = state.with(at: clock.now, { $0.beginCall(number, at: clock.now) }) {
            // A name may have got another address since the country subscribed.
            guard await CallbackURL.isAllowed(due.url) else {
                return state.with(at: clock.now) { $0.endSubscription(number, at: clock.now) }
            }
            let query: URLEncodedValues = ["batchTag": due.task.tag.text, "date": due.task.day.name]
            let status = await call("\(due.url)?\(query.encoded)")
            let succeeded = status.map { (200..<300).contains($0) } ?? false
            state.with(at: clock.now) { $0.endCall(number, succeeded: succeeded, at: clock.now) }
        }
    }
}
