import FoundationEssentials
import HTTPTypes
import Testing

@testable import ObjectStore

/// AWS's published vectors: the four examples of https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html,
/// and those of the general suite that also hold for S3 (the general suite normalises paths) and whose fields this client could
/// send (each once, without spaces at its ends).
struct S3SignatureTests {
    struct Vector: Decodable, Sendable, CustomTestStringConvertible {
        let name: String
        let service: String
        let region: String
        let accessKeyID: String
        let secretAccessKey: String
        let date: String
        let method: String
        let path: String
        let query: [[String]]
        let fields: [[String]]
        let bodySHA256: String
        let canonicalRequest: String
        let stringToSign: String
        let signature: String

        var testDescription: String { name }

        var signer: S3Signature {
            S3Signature(
                credentials: S3Credentials(accessKeyID: accessKeyID, secretAccessKey: secretAccessKey), region: region,
                service: service)
        }

        /// Without the fields that signing adds.
        var request: S3Request {
            S3Request(
                method: HTTPRequest.Method(method) ?? .get, path: path,
                query: query.map { S3Request.Parameter(name: $0[0], value: $0[1]) },
                fields: allFields.filter { !["x-amz-date", "x-amz-content-sha256"].contains($0.name) },
                bodySHA256: bodySHA256)
        }

        var allFields: [S3Request.Field] { fields.map { S3Request.Field(name: $0[0], value: $0[1]) } }

        var instant: Date {
            get throws {
                try Date(
                    date,
                    strategy: Date.ISO8601FormatStyle(
                        dateSeparator: .omitted, timeSeparator: .omitted, timeZone: .gmt))
            }
        }
    }

    static let vectors: [Vector] = {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/signatures.json")
        return (try? JSONDecoder().decode([Vector].self, from: Data(contentsOf: file))) ?? []
    }()

    @Test("the vectors are there")
    func count() {
        #expect(Self.vectors.count == 30)
        #expect(Self.vectors.count { $0.service == "s3" } == 4)
    }

    @Test("each step of a signature is AWS's own", arguments: vectors)
    func steps(vector: Vector) throws {
        let canonical = vector.signer.canonicalRequest(vector.request, fields: vector.allFields)
        #expect(canonical == vector.canonicalRequest)
        let text = try vector.signer.stringToSign(canonical, at: vector.instant)
        #expect(text == vector.stringToSign)
        #expect(try vector.signer.signature(of: text, at: vector.instant) == vector.signature)
    }

    @Test("a request to S3 gets the fields of AWS's examples", arguments: vectors.filter { $0.service == "s3" })
    func fields(vector: Vector) throws {
        let fields = try vector.signer.fields(of: vector.request, at: vector.instant)
        let names = vector.allFields.map(\.name).sorted()
        #expect(fields.map(\.name).sorted() == (names + ["authorization"]).sorted())
        #expect(
            fields.last?.value
                == "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
                + "SignedHeaders=\(names.joined(separator: ";")), Signature=\(vector.signature)")
    }

    @Test("the session token is sent and signed")
    func token() throws {
        let credentials = S3Credentials(accessKeyID: "A", secretAccessKey: "secret", sessionToken: "token")
        let vector = try #require(Self.vectors.first)
        let fields = try S3Signature(credentials: credentials, region: "eu-central-1")
            .fields(of: vector.request, at: vector.instant)
        #expect(fields.contains { $0.name == "x-amz-security-token" && $0.value == "token" })
        #expect(fields.last?.value.contains(";x-amz-security-token, ") == true)
    }

    @Test("the signed text is the sent text, encoded once")
    func target() {
        let request = S3Request(
            method: .get, path: "/bucket/a b/../ü%2F+&=~",
            query: [.init(name: "b", value: "1/2 3"), .init(name: "a", value: "")],
            fields: [], bodySHA256: "")
        #expect(request.target == "/bucket/a%20b/../%C3%BC%252F%2B%26%3D~?a=&b=1%2F2%203")
    }

    @Test("credentials are redacted when printed")
    func redacted() {
        let credentials = S3Credentials(accessKeyID: "AKID", secretAccessKey: "hush", sessionToken: "quiet")
        var dumped = ""
        dump(S3Signature(credentials: credentials, region: "eu-central-1"), to: &dumped)
        for text in ["\(credentials)", String(reflecting: credentials), dumped] {
            #expect(!text.contains("hush") && !text.contains("quiet"))
        }
    }
}
