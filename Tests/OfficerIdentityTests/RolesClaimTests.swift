import Foundation
import OfficerIdentity
import Running
import Testing

@Suite struct RolesClaimTests {
    private func roles(_ path: String, _ json: String) throws -> Set<OfficerRole> {
        try #require(RolesClaim(path: path)).roles(in: JSONDecoder().decode(ClaimTree.self, from: Data(json.utf8)))
    }

    @Test(
        "roles are found where the configuration says",
        arguments: [
            ("realm_access.roles", #"{"realm_access":{"roles":["c19hotline","offline_access"]}}"#),
            ("roles", #"{"roles":["c19hotline"],"realm_access":{"roles":["vigil_audit"]}}"#),
            ("resource_access.health-portal.roles", #"{"resource_access":{"health-portal":{"roles":["c19hotline"]}}}"#),
            ("realm_access.roles", #"{"realm_access.roles":["c19hotline"]}"#),
            ("https://authority.example/roles", #"{"https://authority.example/roles":["c19hotline"]}"#),
            ("resource_access.health.portal.roles", #"{"resource_access":{"health.portal":{"roles":["c19hotline"]}}}"#),
            ("a.b.c", #"{"a":{"b.c":["vigil_audit"]},"a.b":{"c":["c19hotline"]}}"#),
            (
                "urn:zitadel:iam:org:project:roles",
                #"{"urn:zitadel:iam:org:project:roles":{"c19hotline":{"1":"authority.example"},"x":{}}}"#
            ),
            ("groups", #"{"groups":["c19hotline","c19hotline"],"exp":7,"x":[1,{"a":null}]}"#),
        ])
    func found(path: String, json: String) throws {
        #expect(try roles(path, json) == [.hotline])
    }

    @Test(
        "anything but an array of strings, or an object of objects, at that place has no roles",
        arguments: [
            #"{}"#, #"{"realm_access":{}}"#, #"{"realm_access":{"roles":"c19hotline"}}"#,
            #"{"realm_access":{"roles":["c19hotline",7]}}"#, #"{"realm_access":{"roles":{"c19hotline":true}}}"#,
            #"{"realm_access":["c19hotline"]}"#, #"{"roles":["c19hotline"]}"#,
            #"{"realm_access":{"roles":{"c19hotline":false}}}"#, #"{"realm_access.other":["c19hotline"]}"#,
            #"{"realm_access.roles":7,"realm_access":{"roles":["c19hotline"]}}"#,
            #"{"realm_access":{"roles":["C19HOTLINE","c19hotline "]}}"#, #"{"realm_access":null}"#,
        ])
    func none(json: String) throws {
        #expect(try roles("realm_access.roles", json) == [])
    }

    @Test("a path without a name is an error at start", arguments: [".", "roles.", "a..b", ".roles"])
    func paths(path: String) {
        #expect(throws: ConfigurationProblem.self) {
            try RolesClaim(Settings(["officers.rolesClaim": path]), key: "officers.rolesClaim")
        }
    }
}
