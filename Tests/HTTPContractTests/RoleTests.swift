import HTTPContract
import Testing

@Suite struct RoleTests {
    @Test("every role can be read from the URI it writes", arguments: Role.allCases)
    func roundTrip(role: Role) {
        #expect(Role(certificateURI: role.certificateURI) == role)
    }

    @Test(
        "other URIs name no role",
        arguments: [
            "vigil:role:", "vigil:role:Lab", "vigil:role:lab ", "lab", "urn:vigil:role:lab", "vigil:role:lab:lab", "",
        ])
    func foreign(uri: String) {
        #expect(Role(certificateURI: uri) == nil)
    }
}
