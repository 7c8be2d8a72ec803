import Foundation
import HTTPContract
import Running
import TestSupport
import Testing

@testable import HealthPortal

@Suite struct ClientCredentialTests {
    private static let provider = [
        "provider.issuer": "https://identity.test/realms/health", "provider.client": "health portal",
    ]

    @Test("a secret is sent in the field alone, form-encoded before it is joined")
    func secret() async throws {
        try await withScratchFolder { folder in
            let path = "\(folder)/secret"
            try Data("a:b c%\n".utf8).write(to: URL(filePath: path))
            let settings = Settings(Self.provider.merging(["provider.clientSecret": path]) { $1 })
            var form: URLEncodedValues = ["grant_type": "refresh_token"]
            let field = try ClientCredential(settings).prove(
                Provider(settings), at: Date(timeIntervalSince1970: 1_779_796_800), in: &form)
            #expect(field == "Basic " + Data("health%20portal:a%3Ab%20c%25".utf8).base64EncodedString())
            #expect(form == ["grant_type": "refresh_token"])
        }
    }

    @Test(
        "a file without a secret or a key is an error at start",
        arguments: ["provider.clientSecret", "provider.clientKey"])
    func files(key: String) async throws {
        try await withScratchFolder { folder in
            let path = "\(folder)/file"
            try Data().write(to: URL(filePath: path))
            #expect(throws: ConfigurationProblem.self) { try ClientCredential(Settings([key: path])) }
        }
        #expect(throws: ConfigurationProblem.self) { try ClientCredential(Settings([:])) }
    }
}
