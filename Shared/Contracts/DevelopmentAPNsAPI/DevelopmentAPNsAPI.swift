package import HTTPContract
import HTTPTypes

/// What `development-apns` tells and takes beside pushes: for development and tests, on a port of this machine only.
package enum DevelopmentAPNsAPI {
    /// How often a push for a token was accepted.
    package static let wakes = Endpoint<WakeQuery, Wakes>(
        .post, "/version/v1/wakes", callers: [], bodyLimit: 1024, summary: "How often pushes for a token were accepted."
    )

    /// What happens to the next pushes for a token.
    package static let instruction = Endpoint<Instruction, NoContent>(
        .post, "/version/v1/instruction", callers: [], bodyLimit: 4096, success: .noContent,
        summary: "Says what happens to the next pushes for a token.")
}
