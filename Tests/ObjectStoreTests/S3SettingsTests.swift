import Running
import Testing

@testable import ObjectStore

struct S3SettingsTests {
    /// The error for the settings; nil if they are valid.
    private func sentence(refusing changes: [String: String], of files: S3SettingsFiles) -> String? {
        do throws(ConfigurationProblem) {
            _ = try S3Bucket(Settings(files.settings.merging(changes) { $1 }), clock: .system)
            return nil
        } catch {
            return error.description
        }
    }

    @Test("valid settings are accepted")
    func accepted() async throws {
        try await S3SettingsFiles.with { files in
            let token = try files.write("lent", to: "token")
            for changes in [
                [:], ["s3.endpoint": "https://s3.eu-central-1.amazonaws.com/"],
                ["s3.endpoint": "https://10.0.0.1:9000"],
                ["s3.endpoint": "http://localhost:9000"], ["s3.endpoint": "http://127.0.0.1:9000"],
                ["s3.endpoint": "http://[::1]:9000"], ["s3.bucket": "a.b-3"],
                ["s3.bucket": String(repeating: "a", count: 63)],
                ["s3.region": "us-east-1"], ["s3.sessionToken": token],
            ] {
                #expect(sentence(refusing: changes, of: files) == nil, "\(changes)")
            }
        }
    }

    @Test(
        "an invalid setting is reported by its key, without secrets",
        arguments: [
            ("s3.endpoint", ""), ("s3.endpoint", "s3.example.org"), ("s3.endpoint", "ftp://s3.example.org"),
            ("s3.endpoint", "https://s3.example.org/bucket"), ("s3.endpoint", "https://user@s3.example.org"),
            ("s3.endpoint", "https://s3.example.org?x"), ("s3.endpoint", "http://s3.example.org"),
            ("s3.endpoint", "http://localhost.example.org"), ("s3.endpoint", "http://127.0.0.1.example.org"),
            ("s3.bucket", ""), ("s3.bucket", "ab"), ("s3.bucket", "Published"), ("s3.bucket", "a/b"),
            ("s3.bucket", "-published"), ("s3.bucket", "published."), ("s3.bucket", String(repeating: "a", count: 64)),
            ("s3.region", "eu central"), ("s3.region", "eu/central"), ("s3.accessKeyID", ""), ("s3.accessKeyID", "a/b"),
            ("s3.accessKeyID", "a b"), ("s3.secretAccessKey", ""), ("s3.secretAccessKey", "/nowhere/secret"),
            ("s3.sessionToken", "/nowhere/token"), ("s3.authorities", "/nowhere/authorities.pem"),
        ])
    func refused(key: String, value: String) async throws {
        try await S3SettingsFiles.with { files in
            let refusal = try #require(sentence(refusing: [key: value], of: files))
            #expect(refusal.hasPrefix("\(key) "))
            #expect(!refusal.contains("hush"))
        }
    }

    @Test(
        "a credentials file must hold one line and nothing else",
        arguments: ["", "\n", "hush hush", "hush\nhush", "hüsh", String(repeating: "hush", count: 4000)])
    func files(content: String) async throws {
        try await S3SettingsFiles.with { files in
            let path = try files.write(content, to: "other")
            for key in ["s3.secretAccessKey", "s3.sessionToken"] {
                let refusal = try #require(sentence(refusing: [key: path], of: files))
                #expect(refusal.hasPrefix("\(key) names \(path)"))
                #expect(!refusal.contains("hush"))
            }
        }
    }

    @Test("an authorities file without a certificate is refused")
    func authorities() async throws {
        try await S3SettingsFiles.with { files in
            let path = try files.write("none", to: "authorities.pem")
            #expect(
                sentence(refusing: ["s3.authorities": path], of: files)?.contains("holds no PEM certificate") == true)
        }
    }
}
