import ArgumentParser
import DevelopmentIdentity
import Testing

@Suite("DevelopmentIdentity")
struct DevelopmentIdentityTests {
    @Test("parses its command line")
    func parses() throws {
        _ = try DevelopmentIdentity.parse([])
    }
}
