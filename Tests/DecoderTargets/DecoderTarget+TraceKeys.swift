import FoundationEssentials
import PublishedTree
import TraceKeyFormat

/// What a health authority uploads, and what distribution leaves for download-server and phones.
extension DecoderTarget {
    /// The body of an upload.
    static func traceKeysJSON(_ bytes: Data) -> Verdict {
        guard let list = TraceKeyList(json: bytes) else { return .refused }
        guard let again = try? list.json() else { return .broken("it can't be written") }
        return TraceKeyList(json: Data(again)) == list ? .value : .broken("read again, it is another list")
    }

    static func traceKeysProtobuf(_ bytes: Data) -> Verdict {
        guard let list = TraceKeyList(protobuf: Array(bytes)) else { return .refused }
        guard let again = try? list.protobuf() else { return .broken("it can't be written") }
        return TraceKeyList(protobuf: again) == list ? .value : .broken("read again, it is another list")
    }

    static func traceKeySignature(_ bytes: Data) -> Verdict {
        guard let (signature, proof) = ContentSignature.read(String(decoding: bytes, as: UTF8.self)) else {
            return .refused
        }
        guard let token = try? signature.token(signature: proof), let again = ContentSignature.read(token) else {
            return .broken("it can't be written and read again")
        }
        return again.signature == signature ? .value : .broken("read again, it is another signature")
    }

    static func traceKeyIndex(_ bytes: Data) -> Verdict {
        guard let index = TraceKeyIndex(bytes) else { return .refused }
        return TraceKeyIndex(index.bytes) == index ? .value : .broken("read again, it is another index")
    }

    static func publishedAnswer(_ bytes: Data) -> Verdict {
        guard let answer = PublishedAnswer(Array(bytes)) else { return .refused }
        return PublishedAnswer(answer.bytes) == answer ? .value : .broken("read again, it is another answer")
    }
}
