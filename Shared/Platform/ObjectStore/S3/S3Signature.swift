import Crypto
import FoundationEssentials
import HTTPTypes

/// Signs requests with AWS Signature Version 4: the signature is in the field `Authorization` and covers the hash of the
/// whole body. See https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
struct S3Signature: Sendable {
    let credentials: S3Credentials
    let region: String
    /// Always `s3`, except for AWS's test vectors.
    var service = "s3"

    /// The request's own fields and the signature's. The signature is valid for 15 minutes around the instant.
    func fields(of request: S3Request, at instant: Date) -> [S3Request.Field] {
        var fields = request.fields
        fields.append(S3Request.Field(name: "x-amz-content-sha256", value: request.bodySHA256))
        fields.append(S3Request.Field(name: "x-amz-date", value: Self.timestamp(instant)))
        if let token = credentials.sessionToken {
            fields.append(S3Request.Field(name: "x-amz-security-token", value: token))
        }
        // Every field is signed, so that none can be changed in transit.
        let authorization = authorization(of: request, fields: fields, at: instant)
        return fields + [S3Request.Field(name: "authorization", value: authorization)]
    }

    private func authorization(of request: S3Request, fields: [S3Request.Field], at instant: Date) -> String {
        let signature = signature(of: stringToSign(canonicalRequest(request, fields: fields), at: instant), at: instant)
        return "AWS4-HMAC-SHA256 Credential=\(credentials.accessKeyID)/\(scope(at: instant)), "
            + "SignedHeaders=\(Self.names(of: fields)), Signature=\(signature)"
    }

    // MARK: The four steps

    func canonicalRequest(_ request: S3Request, fields: [S3Request.Field]) -> String {
        let lines = fields.sorted { $0.name < $1.name }.map { "\($0.name):\($0.value)\n" }.joined()
        return [
            request.method.rawValue, request.encodedPath, request.encodedQuery, lines, Self.names(of: fields),
            request.bodySHA256,
        ].joined(separator: "\n")
    }

    func stringToSign(_ canonicalRequest: String, at instant: Date) -> String {
        let digest = SHA256.hash(data: Data(canonicalRequest.utf8)).hexadecimal
        return "AWS4-HMAC-SHA256\n\(Self.timestamp(instant))\n\(scope(at: instant))\n\(digest)"
    }

    func signature(of stringToSign: String, at instant: Date) -> String {
        HMAC<SHA256>.authenticationCode(for: Data(stringToSign.utf8), using: signingKey(at: instant)).hexadecimal
    }

    /// Valid for one day, one region and one service.
    private func signingKey(at instant: Date) -> SymmetricKey {
        [Self.day(instant), region, service, "aws4_request"].reduce(credentials.signingSecret) { key, part in
            SymmetricKey(data: HMAC<SHA256>.authenticationCode(for: Data(part.utf8), using: key))
        }
    }

    // MARK: Parts

    private func scope(at instant: Date) -> String { "\(Self.day(instant))/\(region)/\(service)/aws4_request" }

    private static func names(of fields: [S3Request.Field]) -> String {
        fields.map(\.name).sorted().joined(separator: ";")
    }

    /// Such as `20130524T000000Z`.
    private static func timestamp(_ instant: Date) -> String {
        instant.formatted(Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted, timeZone: .gmt))
    }

    private static func day(_ instant: Date) -> String { String(timestamp(instant).prefix(8)) }
}

extension Sequence<UInt8> {
    /// Two lower-case digits a byte.
    var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
