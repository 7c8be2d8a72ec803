import HTTPContract
import PushAPI
import Running
import Serving

/// `POST /version/v1/announcement`: something new was published, so that a wave is due as soon as the last one is long
/// enough ago. Any number of announcements until then are one.
struct AnnounceNews: Sendable {
    let store: WaveStore
    let clock: WallClock

    func handle(_ announcement: NoContent, from caller: Caller) async throws -> NoContent {
        try await store.plan(at: clock.now)
        return NoContent()
    }
}
