import HTTPContract
import PushAPI
import Running
import Serving

/// `POST /version/v1/announcement`: something new was published, so a wave is due once `waves.pause` has passed since the
/// last one. All announcements until then count as one.
struct AnnounceNews: Sendable {
    let store: WaveStore
    let clock: WallClock

    func handle(_ announcement: NoContent, from caller: Caller) async throws -> NoContent {
        try await store.plan(at: clock.now)
        return NoContent()
    }
}
