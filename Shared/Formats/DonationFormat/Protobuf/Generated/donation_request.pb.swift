// swift-format-ignore-file
// Made by Shared/Formats/generate.py from donation_request.proto: change that.
//
// What apps send to data-donation: evidence that they are genuine, and what they ask for or give.
//
// Field numbers are those of cwa-ppa-server (common/protocols, internal/ppdd), where each operation and system has a request message of its own:
// never renumber. A message inside another is declared as bytes here, which is the same on the wire: evidence covers the payload's bytes as they
// were sent, and a message that is parsed and serialised again may have others.

import FoundationEssentials
import SwiftProtobuf

struct WireDonationRequest: Message {
    /// IOSAuthentication or AndroidAuthentication.
    var authentication: Data = Data()
    /// OneTimePassword or AnalyticsData.
    var payload: Data = Data()
    /// Gives all requests one length.
    var requestPadding: Data = Data()
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.donation.DonationRequest", \Self.unknownFields, [
        Field(1, "authentication", \Self.authentication),
        Field(2, "payload", \Self.payload),
        Field(3, "requestPadding", \Self.requestPadding),
    ])
}

struct WireIOSAuthentication: Message {
    /// DeviceCheck's, in Base64.
    var deviceToken: String = ""
    /// A UUID that the app chooses anew each month.
    var apiToken: String = ""
    /// That of the month before, which nobody reads.
    var previousApiToken: String = ""
    /// App Attest: the challenge that the server gave, the key's identifier, and an assertion over both and the payload.
    var challenge: Data = Data()
    var keyID: Data = Data()
    var assertion: Data = Data()
    /// The first time: what Apple attests of the key.
    var attestation: Data = Data()
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.donation.IOSAuthentication", \Self.unknownFields, [
        Field(1, "deviceToken", \Self.deviceToken),
        Field(2, "apiToken", \Self.apiToken),
        Field(3, "previousApiToken", \Self.previousApiToken),
        Field(16, "challenge", \Self.challenge),
        Field(17, "keyId", \Self.keyID),
        Field(18, "assertion", \Self.assertion),
        Field(19, "attestation", \Self.attestation),
    ])
}

struct WireAndroidAuthentication: Message {
    /// Base64 of bytes that the app chose.
    var salt: String = ""
    /// Play Integrity's token.
    var integrityToken: String = ""
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.donation.AndroidAuthentication", \Self.unknownFields, [
        Field(2, "salt", \Self.salt),
        Field(16, "integrityToken", \Self.integrityToken),
    ])
}

struct WireOneTimePassword: Message {
    /// A UUID.
    var otp: String = ""
    /// Of Android's self-reports: what tells phones apart.
    var androidID: Data = Data()
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.donation.OneTimePassword", \Self.unknownFields, [
        Field(1, "otp", \Self.otp),
        Field(2, "androidId", \Self.androidID),
    ])
}
