import FoundationEssentials
import Synchronization

@testable import PushDispatcher

/// Sends pushes to APNs until the process is killed within a page.
final class KillableSender: Sendable {
    typealias Send = @Sendable ([SilentPush], Date) async -> [PushOutcome]

    /// When it is killed.
    enum Moment: Sendable, CaseIterable {
        /// The end of the page is recorded, and nothing is sent.
        case beforeSending
        /// Half of the page is sent.
        case halfway
        /// All is sent, and no result is recorded.
        case afterSending
    }

    private let pages: Mutex<Int>
    private let moment: Moment
    private let way: Send
    /// Called when it is killed.
    let death: AsyncStream<Void>
    private let dies: AsyncStream<Void>.Continuation

    /// - Parameter page: the page within which it is killed, from 0 on.
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
    /// Runs a wave until the dispatcher is killed.
    func runUntilKilled(at moment: KillableSender.Moment, onPage page: Int, sending: @escaping KillableSender.Send)
        async
    {
        let sender = KillableSender(at: moment, onPage: page, sending: sending)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { _ = try? await engine(send: sender.send).runDue() }
            for await _ in sender.death { break }
            group.cancelAll()
        }
    }
}
