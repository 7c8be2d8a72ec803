import Foundation
import OfficerIdentity
import Testing

@Suite struct AudienceTests {
    private struct Claims: Decodable {
        let aud: Audience
    }

    private func names(_ json: String) -> [String]? {
        try? JSONDecoder().decode(Claims.self, from: Data(#"{"aud":\#(json)}"#.utf8)).aud.names
    }

    @Test("an audience is a name or a list of names")
    func names() {
        #expect(names(#""a""#) == ["a"])
        #expect(names(#"["a"]"#) == ["a"])
        #expect(names(#"["a","b","a"]"#) == ["a", "b", "a"])
    }

    @Test(
        "a token for nobody, or for what is no name, is refused",
        arguments: ["[]", "null", "7", "{}", #"["a",7]"#, #"[["a"]]"#, "[null]"])
    func nobody(json: String) {
        #expect(names(json) == nil)
        #expect((try? JSONDecoder().decode(Claims.self, from: Data("{}".utf8))) == nil)
    }
}
