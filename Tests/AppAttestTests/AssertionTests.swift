import AppAttest
import Crypto
import DevelopmentAttestation
import Foundation
import TestSupport
import Testing

/// Assertions of a simulated device.
@Suite(.heavy) struct AssertionTests {
    private let clientData = Data("{\"challenge\":\"a challenge\"}".utf8)

    private func verify(
        _ assertion: [UInt8], _ bench: Bench, by key: AppAttestPublicKey? = nil, clientData: Data? = nil,
        after counter: UInt32 = 0, categories: Set<ValidationCategory> = [.appStore]
    ) throws -> UInt32 {
        try bench.policy(categories: categories).verify(
            assertion: assertion, by: key ?? bench.device.publicKey, clientData: clientData ?? self.clientData,
            lastCounter: counter)
    }

    @Test func `assertions are accepted one after another, each once`() throws {
        var bench = try Bench()
        var last: UInt32 = 0
        for number in 1...3 {
            let assertion = try bench.device.assertion(over: clientData)
            let counter = try verify(assertion, bench, after: last)
            #expect(counter == UInt32(number))
            last = counter
            #expect(throws: AppAttestFlaw.counter) { try verify(assertion, bench, after: last) }
        }
        #expect(bench.device.counter == 3)
    }

    @Test func `a counter has to be higher than the last one`() throws {
        let bench = try Bench.shared.get()
        let rows: [(counter: UInt32, last: UInt32, isAccepted: Bool)] = [
            (0, 0, false), (1, 0, true), (1, 1, false), (1, 2, false), (9, 1, true), (256, 255, true),
            (255, 256, false),
            (.max, .max - 1, true), (.max, .max, false), (0, .max, false), (1 << 31, 1 << 31 - 1, true),
        ]
        for row in rows {
            let template = AuthenticatorDataTemplate(app: bench.app, counter: row.counter)
            let assertion = try bench.device.assertion(over: clientData, template).encoded
            if row.isAccepted {
                #expect(try verify(assertion, bench, after: row.last) == row.counter)
            } else {
                #expect(throws: AppAttestFlaw.counter) { try verify(assertion, bench, after: row.last) }
            }
        }
    }

    @Test func `an assertion is refused for other data, for another key and for another app`() throws {
        let bench = try Bench.shared.get()
        let template = AuthenticatorDataTemplate(app: bench.app, counter: 1)
        let assertion = try bench.device.assertion(over: clientData, template).encoded
        #expect(try verify(assertion, bench) == 1)
        #expect(throws: AppAttestFlaw.forged) { try verify(assertion, bench, clientData: Data()) }
        #expect(throws: AppAttestFlaw.forged) { try verify(assertion, bench, clientData: clientData + [0]) }
        let other = AppAttestDevice(app: bench.app)
        #expect(throws: AppAttestFlaw.forged) { try verify(assertion, bench, by: other.publicKey) }
        let app = try #require(AppID("ABCDE12345.org.example.other"))
        let foreign = try bench.device.assertion(
            over: clientData, AuthenticatorDataTemplate(app: app, counter: 1)
        ).encoded
        #expect(throws: AppAttestFlaw.app) { try verify(foreign, bench) }
    }

    @Test func `flags don't count, and extensions are obeyed`() throws {
        let bench = try Bench.shared.get()
        for flags: UInt8 in [0, 0x40, 0xC0, 0xFF] {
            var template = AuthenticatorDataTemplate(app: bench.app, counter: 1)
            template.flags = flags
            #expect(try verify(bench.device.assertion(over: clientData, template).encoded, bench) == 1)
            template.extensions =
                AuthenticatorDataTemplate.extensions(bundleVersion: "7", category: .testFlight).encoded
            let assertion = try bench.device.assertion(over: clientData, template).encoded
            #expect(throws: AppAttestFlaw.category) { try verify(assertion, bench) }
            #expect(try verify(assertion, bench, categories: [.testFlight]) == 1)
            template.extensions.removeLast()
            let truncated = try bench.device.assertion(over: clientData, template).encoded
            #expect(throws: AppAttestFlaw.unreadable) { try verify(truncated, bench, categories: [.testFlight]) }
        }
    }

    @Test func `a signature over the nonce as a digest is refused`() throws {
        let bench = try Bench.shared.get()
        let key = P256.Signing.PrivateKey()
        let data = AuthenticatorDataTemplate(app: bench.app, counter: 1).bytes
        let nonce = SHA256.hash(data: data + Array(SHA256.hash(data: clientData)))
        func assertion(_ signature: P256.Signing.ECDSASignature) -> [UInt8] {
            CBORItem.map([
                (.text("signature"), .bytes(Array(signature.derRepresentation))),
                (.text("authenticatorData"), .bytes(data)),
            ]).encoded
        }
        let publicKey = AppAttestPublicKey(key.publicKey)
        #expect(try verify(assertion(key.signature(for: Array(nonce))), bench, by: publicKey) == 1)
        let once = try assertion(key.signature(for: nonce))
        #expect(throws: AppAttestFlaw.forged) { try verify(once, bench, by: publicKey) }
    }

    @Test func `an assertion has these parts and no others`() throws {
        let bench = try Bench.shared.get()
        let template = AuthenticatorDataTemplate(app: bench.app, counter: 1)
        let item = try bench.device.assertion(over: clientData, template)
        guard case .map(let pairs) = item, case .bytes(let signature) = pairs[0].value else { return }
        #expect(try verify(CBORItem.map(pairs.reversed()).encoded, bench) == 1)
        let rows: [(name: String, bytes: [UInt8], flaw: AppAttestFlaw)] = [
            ("nothing", [], .unreadable), ("a byte more", item.encoded + [0], .unreadable),
            ("a byte less", Array(item.encoded.dropLast()), .unreadable),
            ("a long head", [0xB8, 2] + item.encoded.dropFirst(), .unreadable),
            ("an indefinite length", [0xBF] + item.encoded.dropFirst() + [0xFF], .unreadable),
            ("a part more", item.adding("more", .unsigned(0)).encoded, .unreadable),
            ("a part twice", item.adding("signature", .bytes(signature)).encoded, .unreadable),
            ("no signature", item.removing("signature").encoded, .unreadable),
            ("no data", item.removing("authenticatorData").encoded, .unreadable),
            ("a signature that is text", item.replacing("signature", with: .text("")).encoded, .unreadable),
            ("data that are text", item.replacing("authenticatorData", with: .text("")).encoded, .unreadable),
            (
                "short data",
                item.replacing("authenticatorData", with: .bytes([UInt8](repeating: 0, count: 36))).encoded, .unreadable
            ),
            ("an empty signature", item.replacing("signature", with: .bytes([])).encoded, .forged),
            (
                "a raw signature", item.replacing("signature", with: .bytes([UInt8](repeating: 1, count: 64))).encoded,
                .forged
            ),
            (
                "something after the signature", item.replacing("signature", with: .bytes(signature + [0])).encoded,
                .forged
            ),
            (
                "signature of zeros", item.replacing("signature", with: .bytes(bytes("3006020100020100"))).encoded,
                .forged
            ),
        ]
        for row in rows {
            #expect(throws: row.flaw, "\(row.name)") { try verify(row.bytes, bench) }
        }
    }

    @Test func `the longest assertion is accepted, and no longer one`() throws {
        let bench = try Bench.shared.get()
        // A signature has one of several lengths.
        for length in 700... {
            var template = AuthenticatorDataTemplate(app: bench.app, counter: 1)
            template.extensions = CBORItem.map([(.text("more"), .bytes([UInt8](repeating: 0, count: length)))]).encoded
            let assertion = try bench.device.assertion(over: clientData, template).encoded
            if assertion.count == AppAttestPolicy.longestAssertion {
                #expect(try verify(assertion, bench) == 1)
            } else if assertion.count > AppAttestPolicy.longestAssertion {
                #expect(throws: AppAttestFlaw.unreadable) { try verify(assertion, bench) }
            }
            if assertion.count > AppAttestPolicy.longestAssertion + 8 { break }
        }
    }

    @Test func `an attestation is no assertion, and an assertion no attestation`() throws {
        let bench = try Bench.shared.get()
        let attestation = try bench.authority.attest(bench.template()).bytes
        #expect(throws: AppAttestFlaw.unreadable) { try verify(attestation, bench) }
        let template = AuthenticatorDataTemplate(app: bench.app, counter: 1)
        let assertion = try bench.device.assertion(over: clientData, template).encoded
        #expect(bench.flaw(assertion, with: try bench.policy()) == .unreadable)
    }
}
