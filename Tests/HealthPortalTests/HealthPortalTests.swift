import ArgumentParser
import HealthPortal
import Testing

@Suite("HealthPortal")
struct HealthPortalTests {
    @Test("parses its command line")
    func parses() throws {
        _ = try HealthPortal.parse([])
    }
}
