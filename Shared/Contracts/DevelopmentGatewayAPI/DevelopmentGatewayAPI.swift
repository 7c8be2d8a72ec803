package import HTTPContract
import HTTPTypes

/// The operations of `development-gateway` besides the gateway's own, for development and tests, on a loopback port.
package enum DevelopmentGatewayAPI {
    /// Lets one of the simulated countries upload keys.
    package static let upload = Endpoint<CountryUpload, CountryUploaded>(
        .post, "/version/v1/uploads", callers: [], bodyLimit: 1 << 20,
        summary: "Lets a simulated country upload keys, good or bad ones.",
        refusals: [
            .badRequest:
                "No simulated country has this code, a key isn't 16 bytes in Base64, or there is no upload to replay."
        ])

    /// Puts all uploads into batches at once, as the gateway does every five minutes, and calls the countries back.
    package static let batching = Endpoint<BatchingRequest, Batched>(
        .post, "/version/v1/batching", callers: [], bodyLimit: 1024,
        summary: "Puts all uploads into batches at once, and calls the countries back.")

    /// The keys that a country would download.
    package static let received = Endpoint<ReceivedQuery, ReceivedKeys>(
        .post, "/version/v1/received", callers: [], bodyLimit: 1024,
        summary: "The keys of all batches that a country would download, batch by batch.",
        refusals: [.badRequest: "A country has two capital letters."])

    /// Sets how the gateway misbehaves.
    package static let behaviour = Endpoint<GatewayBehaviour, NoContent>(
        .post, "/version/v1/behaviour", callers: [], bodyLimit: 4096, success: .noContent,
        summary: "Says how the gateway misbehaves from now on.",
        refusals: [.badRequest: "The operation can't have this fault, or a thousand faults wait already."])

    /// Moves the gateway's clock ahead, for a rehearsal that doesn't wait for an hour to end.
    package static let clock = Endpoint<GatewayTime, NoContent>(
        .post, "/version/v1/clock", callers: [], bodyLimit: 1024, success: .noContent,
        summary: "Moves the gateway's clock ahead to an instant; never back.")
}
