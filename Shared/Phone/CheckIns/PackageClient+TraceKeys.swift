import AsyncHTTPClient
import ExposureFormat
package import FoundationEssentials
import NIOCore
import NIOHTTP1
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
        var request = HTTPClientRequest(url: "\(base)/v3/traceKeys\(tag.map { "?lastKeyBundleTag=\($0)" } ?? "")")
        request.headers.add(name: "accept", value: "application/x-protobuf")
        let answer = try await http.execute(request, timeout: .seconds(Self.patience))
        let body = Array(try await answer.body.collect(upTo: Self.maximumSize).readableBytesView)
        guard answer.status == .ok else { throw Failure.missing }
        guard let token = answer.headers.first(name: "signature"),
            let (signature, bytes) = ContentSignature.read(token),
            signature.covers(body, at: now), trusted.contains(where: { $0.accepts(bytes, over: signature.digest) }),
            let next = answer.headers.first(name: "x-key-bundle-tag"), let list = TraceKeyList(protobuf: body)
        else { throw Failure.unreadablePackage }
        return (list.keys, next)
    }
}
