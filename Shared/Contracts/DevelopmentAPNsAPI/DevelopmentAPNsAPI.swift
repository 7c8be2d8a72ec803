package import HTTPContract
import HTTPTypes

/// The operations of `development-apns` besides pushes, for development and tests, on a loopback port.
package enum DevelopmentAPNsAPI {
    /// How often a push for a token was accepted.
    package static let wakes = Endpoint<WakeQuery, Wakes>(
        .post, "/version/v1/wakes", callers: [], bodyLimit: 1024, summary: "How often pushes for a token were accepted."
    )

    /// Sets what happens to the next pushes for a token.
    package static let instruction = Endpoint<Instruction, NoContent>(
        .post, "/version/v1/instruction", callers: [], bodyLimit: 4096, success: .noContent,
        summary: "Says what happens to the next pushes for a token.")
}
