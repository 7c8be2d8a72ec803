package import HTTPContract
import HTTPTypes

/// What the push dispatcher offers to other services.
package enum PushAPI {
    /// Something new was published: phones that sleep should be woken.
    ///
    /// It says nothing about what is new, and it may be repeated: the dispatcher joins announcements that come close together.
    package static let announce = Endpoint<NoContent, NoContent>(
        .post, "/version/v1/announcement", callers: [.distribution], bodyLimit: 0, success: .accepted,
        summary: "Says that something new was published.")
}
