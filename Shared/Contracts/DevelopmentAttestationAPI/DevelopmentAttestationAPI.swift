package import HTTPContract
import HTTPTypes

/// The operations of `development-attestation` besides Apple's own, for development and tests, on a loopback port.
package enum DevelopmentAttestationAPI {
    /// What `DCDevice.generateToken` gives an app on an iPhone.
    package static let deviceToken = Endpoint<DeviceTokenQuery, DeviceTokenAnswer>(
        .post, "/version/v1/device-tokens", callers: [], bodyLimit: 1024,
        summary: "A new token of a made-up device for DeviceCheck, good for ten minutes.",
        refusals: [.tooManyRequests: "A hundred thousand tokens are out."])

    /// Sets what Apple keeps of a device, as if it had been set in another month.
    package static let device = Endpoint<DeviceSetting, NoContent>(
        .post, "/version/v1/devices", callers: [], bodyLimit: 1024, success: .noContent,
        summary: "Sets both bits of a made-up device and their month, or forgets them.",
        refusals: [
            .badRequest: "A month is written 2026-11.",
            .tooManyRequests: "A hundred thousand devices have bits.",
        ])

    /// Sets how Apple's service answers from now on.
    package static let behaviour = Endpoint<DeviceCheckBehaviour, NoContent>(
        .post, "/version/v1/behaviour", callers: [], bodyLimit: 1024, success: .noContent,
        summary: "Lets DeviceCheck be well, busy, broken, or away.")

    /// What `DCAppAttestService.generateKey` gives an app on an iPhone.
    package static let appAttestKey = Endpoint<AppAttestKeyQuery, AppAttestKeyAnswer>(
        .post, "/version/v1/app-attest/keys", callers: [], bodyLimit: 1024,
        summary: "Makes a key in the hardware of a made-up iPhone.",
        refusals: [
            .badRequest: "The App ID isn't one.", .tooManyRequests: "A hundred thousand keys were made.",
        ])

    /// What `DCAppAttestService.attestKey` gives an app on an iPhone.
    package static let attestation = Endpoint<AttestationQuery, AttestationAnswer>(
        .post, "/version/v1/app-attest/attestations", callers: [], bodyLimit: 1024,
        summary: "Has Apple attest a key, once.",
        refusals: [.badRequest: "Nobody made the key, it is attested already, or the hash isn't 32 bytes."])

    /// What `DCAppAttestService.generateAssertion` gives an app on an iPhone.
    package static let assertion = Endpoint<AssertionQuery, AssertionAnswer>(
        .post, "/version/v1/app-attest/assertions", callers: [], bodyLimit: 1024,
        summary: "An assertion by an attested key, with the next counter.",
        refusals: [.badRequest: "The key isn't attested, or the hash isn't 32 bytes."])

    /// What `IntegrityManager.requestIntegrityToken` gives an app on an Android phone.
    package static let integrityToken = Endpoint<IntegrityTokenQuery, EvidenceAnswer>(
        .post, "/version/v1/play-integrity/tokens", callers: [], bodyLimit: 4096,
        summary: "A token of Play Integrity about a good app on a good device, or about what the query says.")
}
