import ExposureFormat
package import FoundationEssentials
import HTTPTypes
import OutsideCalls
package import TraceKeyFormat

extension PackageClient {
    /// The trace keys since the tag of an earlier answer, as SwissCovid's apps ask for them.
    ///
    /// Keep the new tag only when the keys are compared: swisscovid-app-ios kept it first, and lost keys that it couldn't read.
    /// - Parameters:
    ///   - tag: nil for all keys.
    ///   - now: a signature that has ended isn't accepted.
    /// - Returns: the keys, and the tag for the next time.
    /// - Throws: ``Failure/missing`` for a tag that no answer gave, ``Failure/unreadablePackage`` also if no trusted key signed the list.
    package func traceKeys(since tag: String? = nil, at now: Date) async throws -> (keys: [TraceKey], tag: String) {
        let answer = try await get(
            "/v3/traceKeys\(tag.map { "?lastKeyBundleTag=\($0)" } ?? "")", [.accept: "application/x-protobuf"])
        let body = answer.body
        guard answer.status == .ok else { throw Failure.missing }
        guard let token = answer.first("signature"), let (signature, bytes) = ContentSignature.read(token),
            signature.covers(body, at: now), trusted.contains(where: { $0.accepts(bytes, over: signature.digest) }),
            let next = answer.first("x-key-bundle-tag"), let list = TraceKeyList(protobuf: body)
        else { throw Failure.unreadablePackage }
        return (list.keys, next)
    }
}

extension OutsideResponse {
    /// The first value of a field that has no well-known name.
    fileprivate func first(_ name: String) -> String? { HTTPField.Name(name).flatMap { fields[$0] } }
}
