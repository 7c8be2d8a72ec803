import Credentials
import Testing

struct RandomIdentifierTests {
    @Test("an identifier is written as the contract's pattern demands and read back")
    func roundTrip() throws {
        var randomness = SystemRandomNumberGenerator()
        let pattern = /^[a-f0-9]{8}-[a-f0-9]{4}-4[a-f0-9]{3}-[89ab][a-f0-9]{3}-[a-f0-9]{12}$/
        for _ in 0..<1000 {
            let identifier = RandomIdentifier(using: &randomness)
            #expect(try pattern.wholeMatch(in: identifier.text) != nil)
            #expect(RandomIdentifier(identifier.text) == identifier)
        }
    }

    @Test(
        "the apps' fake tokens have the shape",
        arguments: [
            "63b4d3ff-e0de-4bd4-90c1-17c2bb683a2f", "11111111-2222-4444-8888-161616161616",
        ])
    func fakes(text: String) {
        #expect(RegistrationToken(text)?.text == text)
    }

    @Test(
        "what isn't a lower-case UUID version 4 is refused",
        arguments: [
            "", "63B4D3FF-E0DE-4BD4-90C1-17C2BB683A2F", "63b4d3ff-e0de-1bd4-90c1-17c2bb683a2f",
            "63b4d3ff-e0de-4bd4-c0c1-17c2bb683a2f", "63b4d3ffe0de4bd490c117c2bb683a2f",
            "63b4d3ff-e0de-4bd4-90c1-17c2bb683a2", "63b4d3ff-e0de-4bd4-90c1-17c2bb683a2fa",
            "63b4d3f-fe0de-4bd4-90c1-17c2bb683a2f", "00000000-0000-0000-0000-000000000000",
            "63b4d3ff-e0de-4bd4-90c1-17c2bb683a2\u{660}",
        ])
    func refused(text: String) {
        #expect(RandomIdentifier(text) == nil)
    }

    @Test("a keyed hash always gives the same identifier, and another input another")
    func derived() throws {
        let key = try #require(HashKey(bytes: [UInt8](repeating: 9, count: 32)))
        let one = RandomIdentifier(key.digest(for: "test", [1, 2], [3]))
        #expect(one == RandomIdentifier(key.digest(for: "test", [1, 2], [3])))
        #expect(one != RandomIdentifier(key.digest(for: "test", [1], [2, 3])))
        #expect(one != RandomIdentifier(key.digest(for: "other", [1, 2], [3])))
    }
}
