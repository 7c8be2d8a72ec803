import AppAttest
import DevelopmentAttestation
import Foundation
import TestSupport
import Testing

/// Nothing but what was signed is accepted, and nothing ends the process.
@Suite(.heavy, .timeLimit(.minutes(5))) struct MutationTests {
    @Test func `no byte of an attestation can be another, except in the receipt`() throws {
        let bench = try Bench.shared.get()
        let policy = try bench.policy()
        let minted = try bench.authority.attest(bench.template())
        let attestation = minted.bytes
        let receipt = try #require(Data(attestation).firstRange(of: Data(minted.receipt)))
        var accepted: [Int] = []
        for place in attestation.indices where !receipt.contains(place) {
            for change: UInt8 in [0x01, 0x02, 0x20, 0x80, 0xFF] {
                var changed = attestation
                changed[place] ^= change
                if bench.flaw(changed, with: policy) == nil { accepted.append(place) }
            }
        }
        #expect(accepted == [])
    }

    @Test func `no byte of a real attestation can be another, except in the receipt`() throws {
        let sample = try #require(Vectors.all.attestations.last)
        let policy = try sample.policy()
        let keyID = try #require(AppAttestKeyID(base64: sample.keyID))
        let attestation = Array(sample.attestation)
        // 3,977 bytes after the text "receipt" and a head of three bytes.
        let name = try #require(sample.attestation.firstRange(of: Data("greceiptY".utf8)))
        let receipt = (name.upperBound + 2)..<(name.upperBound + 2 + 3977)
        #expect(String(decoding: attestation[(receipt.upperBound + 1)...].prefix(8), as: UTF8.self) == "authData")
        var random = SeededGenerator(seed: 27)
        var accepted: [Int] = []
        for place in attestation.indices where !receipt.contains(place) {
            var changed = attestation
            changed[place] ^= UInt8.random(in: 1...255, using: &random)
            let key = try? policy.verify(
                attestation: changed, keyID: keyID, clientDataHash: Array(sample.clientDataHash), now: sample.at)
            if key != nil { accepted.append(place) }
        }
        #expect(accepted == [])
    }

    @Test func `no byte of an assertion can be another`() throws {
        let bench = try Bench.shared.get()
        let policy = try bench.policy()
        let template = AuthenticatorDataTemplate(app: bench.app, counter: 5)
        let clientData = Data("data".utf8)
        let assertion = try bench.device.assertion(over: clientData, template).encoded
        var accepted: [Int] = []
        for place in assertion.indices {
            for bit in 0..<8 {
                var changed = assertion
                changed[place] ^= 1 << UInt8(bit)
                let counter = try? policy.verify(
                    assertion: changed, by: bench.device.publicKey, clientData: clientData, lastCounter: 0)
                if counter != nil { accepted.append(place) }
            }
        }
        #expect(accepted == [])
    }

    @Test func `evidence with several random changes is refused`() throws {
        let bench = try Bench.shared.get()
        let policy = try bench.policy()
        let minted = try bench.authority.attest(bench.template())
        let attestation = Data(minted.bytes)
        var random = SeededGenerator(seed: 28)
        for _ in 0..<5000 {
            let changed = attestation.mutated(using: &random)
            guard bench.flaw(Array(changed), with: policy) == nil else { continue }
            // Only the receipt is another.
            guard case .map(let pairs)? = CBORItem(changed), case .map(let statement)? = pairs.dropFirst().first?.value,
                case .bytes(let receipt)? = statement.last?.value
            else {
                Issue.record("What was accepted can't be read")
                continue
            }
            var same = minted
            same.receipt = receipt
            #expect(same.bytes == Array(changed))
        }
    }

    @Test func `random bytes are refused`() throws {
        let bench = try Bench.shared.get()
        let policy = try bench.policy()
        var random = SeededGenerator(seed: 29)
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...200, using: &random)
            var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            if Bool.random(using: &random), !bytes.isEmpty { bytes[0] = 0xA0 | bytes[0] & 3 }
            #expect(bench.flaw(bytes, with: policy) == .unreadable)
            #expect(throws: AppAttestFlaw.unreadable) {
                try policy.verify(assertion: bytes, by: bench.device.publicKey, clientData: Data(), lastCounter: 0)
            }
            _ = AuthenticatorData(bytes, ofAttestation: true)
            _ = AuthenticatorData(bytes, ofAttestation: false)
        }
    }
}
