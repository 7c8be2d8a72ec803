import Credentials
import Testing

@Suite struct IdempotencyKeyTests {
    @Test(
        "a key of 22 to 64 characters is read, in quotes or without",
        arguments: [
            "8e03978e-40d5-43dd-bc93-6894a57f9324", "\"8e03978e-40d5-43dd-bc93-6894a57f9324\"",
            "AAAAAAAAAAAAAAAAAAAAAA", "a+/_-=a+/_-=a+/_-=a+/_-=", String(repeating: "f", count: 64),
        ])
    func accepted(text: String) {
        #expect(IdempotencyKey(text)?.text == text.filter { $0 != "\"" })
    }

    @Test(
        "anything else is refused",
        arguments: [
            "", "\"", "\"\"", "short", String(repeating: "f", count: 21), String(repeating: "f", count: 65),
            "8e03978e-40d5-43dd-bc93-6894a57f932\"", "8e03978e 40d5 43dd bc93 6894a57f9324",
            "8e03978e-40d5-43dd-bc93-6894a57f932é",
        ])
    func refused(text: String) {
        #expect(IdempotencyKey(text) == nil)
    }

    @Test("fresh keys differ, are read back, and don't print")
    func fresh() {
        let key = IdempotencyKey.fresh
        #expect(key != .fresh)
        #expect(IdempotencyKey(key.text) == key)
        #expect("\(key)" == "redacted")
    }
}
