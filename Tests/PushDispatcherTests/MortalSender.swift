import FoundationEssentials
import Synchronization

@testable import PushDispatcher

/// A dispatcher's way to APNs, until the process dies in the middle of a page.
final class MortalSender: Sendable {
    typealias Send = @Sendable ([SilentPush], Date) async -> [PushOutcome]

    /// Where it dies.
    enum Moment: Sendable, CaseIterable {
        /// The page's end is written down, and nothing sent.
        case beforeSending
        /// Half of the page is sent.
        case halfway
        /// All is sent, and nothing written down of what came of it.
        case afterSending
    }

    private let pages: Mutex<Int>
    private let moment: Moment
    private let way: Send
    /// Says when it has died.
    let death: AsyncStream<Void>
    private let dies: AsyncStream<Void>.Continuation

    /// - Parameter page: the fatal one, from 0 on.
    init(at moment: Moment, onPage page: Int, sending way: @escaping Send) {
        pages = Mutex(page)
        self.moment = moment
        self.way = way
        (death, dies) = AsyncStream.makeStream(of: Void.self)
    }

    func send(_ pushes: [SilentPush], expiration: Date) async -> [PushOutcome] {
        let isFatal = pages.withLock { pages in
            pages -= 1
            return pages < 0
        }
        guard isFatal else { return await way(pushes, expiration) }
        switch moment {
        case .beforeSending: break
        case .halfway: _ = await way(Array(pushes.prefix(pushes.count / 2)), expiration)
        case .afterSending: _ = await way(pushes, expiration)
        }
        dies.yield()
        // Nothing more happens in a dead process.
        try? await Task.sleep(for: .seconds(3600))
        return []
    }
}

extension WaveStage {
    /// Leads a wave until the dispatcher dies.
    func runUntilDeath(at moment: MortalSender.Moment, onPage page: Int, sending: @escaping MortalSender.Send) async {
        let mortal = MortalSender(at: moment, onPage: page, sending: sending)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { _ = try? await engine(send: mortal.send).runDue() }
            for await _ in mortal.death { break }
            group.cancelAll()
        }
    }
}
