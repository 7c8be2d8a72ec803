import Running

/// A request to an S3 store failed: which one, what the store answered, what to check.
///
/// Of the store's answer only the error code is repeated; its messages may quote what was signed.
struct S3Problem: OperatorProblem, Equatable {
    /// Why a request failed.
    enum Cause: Sendable, Equatable {
        /// The store answered with another status than 200, or with an error in spite of it. The code is S3's own, such as `AccessDenied`.
        case refused(status: UInt, code: String?)
        /// The store couldn't be reached.
        case noConnection
        /// The deadline passed.
        case noAnswerInTime
        /// The answer exceeds its size limit.
        case tooLarge
        /// The answer isn't one of S3's.
        case malformedAnswer
        /// The store reports another MD5 than the content's, or has other content.
        case differs
        /// The store answered that it stored an object, and doesn't have it.
        case notStored
        /// The store kept some of the objects: one of them, the store's code for it, and how many it kept.
        case notRemoved(key: String, code: String, count: Int)
    }

    /// The failed task, such as "Writing version/v1".
    let task: String
    /// The bucket's name.
    let bucket: String
    /// Why it failed.
    let cause: Cause
    /// The number of attempts.
    let attempts: Int

    var description: String {
        let tries = attempts > 1 ? " after \(attempts) attempts" : ""
        return "\(task) in the bucket \(bucket) failed\(tries): \(cause.statement); \(cause.advice)."
    }
}

extension S3Problem.Cause {
    /// Whether the same request may succeed a moment later.
    var isTransient: Bool {
        switch self {
        case .refused(429, _), .refused(500...599, _): true
        case .refused(_, let code): ["RequestTimeout", "OperationAborted", "SlowDown", "InternalError"].contains(code)
        case .noConnection, .noAnswerInTime: true
        case .tooLarge, .malformedAnswer, .differs, .notStored, .notRemoved: false
        }
    }

    fileprivate var statement: String {
        switch self {
        case .refused(let status, let code): "the store answered \(status)" + (code.map { " \($0)" } ?? "")
        case .noConnection: "there was no connection"
        case .noAnswerInTime: "there was no answer in time"
        case .tooLarge: "the answer is too long"
        case .malformedAnswer: "the answer is not one of S3's"
        case .differs: "the store reports another MD5 than that of what was sent"
        case .notStored: "the store confirmed the object and doesn't have it"
        case .notRemoved(let key, let code, let count):
            "the store kept \(count) \(count == 1 ? "object" : "objects"), such as \(key) (\(code))"
        }
    }

    fileprivate var advice: String {
        switch self {
        case .refused(let status, let code): Self.advice(status: status, code: code)
        case .noConnection: "check s3.endpoint, the network, and that the server's certificate is valid and trusted"
        case .noAnswerInTime: "check the network; the next run tries again"
        case .notStored: "check the store and what is between it and this machine"
        case .tooLarge, .malformedAnswer: "check that s3.endpoint is an S3 store"
        case .differs: "if the store encrypts with keys of its own (SSE-KMS, SSE-C), set the bucket to SSE-S3"
        case .notRemoved(_, let code, _): Self.advice(status: 0, code: code)
        }
    }

    private static func advice(status: UInt, code: String?) -> String {
        switch (status, code) {
        case (_, "SignatureDoesNotMatch"): "check that s3.secretAccessKey belongs to s3.accessKeyID"
        // The second is versitygw's.
        case (_, "InvalidAccessKeyId"), (_, "XAdminUserNotFound"): "check s3.accessKeyID"
        case (_, "ExpiredToken"), (_, "InvalidToken"):
            "s3.sessionToken must be of the same credentials and not have expired"
        case (_, "RequestTimeTooSkewed"): "check this machine's clock"
        case (_, "NoSuchBucket"): "check s3.bucket, or create it"
        case (_, "PermanentRedirect"), (_, "TemporaryRedirect"), (_, "AuthorizationHeaderMalformed"), (300...399, _):
            "check that s3.endpoint and s3.region are the bucket's"
        case (_, "BadDigest"), (_, "XAmzContentSHA256Mismatch"): "the content was damaged in transit: check the network"
        case (_, "AccessDenied"), (401, _), (403, _):
            "the access key needs s3:ListBucket on the bucket, and s3:GetObject, s3:PutObject and s3:DeleteObject in it"
        case (429, _), (500...599, _), (_, "SlowDown"), (_, "InternalError"):
            "check the store's health; the next run tries again"
        case (_, let code?) where S3Problem.nestingCodes.contains(code):
            "the store keeps no object below another one: use another store"
        default: "see the store's documentation of this answer"
        }
    }
}

extension S3Problem {
    /// What stores answer that can't keep an object with others below it, or below another one: versitygw (s3err/s3err.go) and MinIO
    /// (cmd/api-errors.go).
    static let nestingCodes: Set = [
        "ExistingObjectIsDirectory", "ObjectParentIsFile", "XMinioObjectExistsAsDirectory", "XMinioParentIsObject",
    ]

    /// The text if it looks like one of S3's error codes.
    static func code(_ text: String) -> String? {
        let isCode =
            (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."):
                    true
                default: false
                }
            }
        return isCode ? text : nil
    }
}
