import ExposureFormat
import FoundationEssentials
import ObjectStore
import PublishedTree
import TraceKeyFormat

/// The check of the lists of trace keys and their index.
struct TraceKeyCheck {
    /// Objects that the index names, and the index.
    private(set) var named: Set<TreeKey> = [TraceKeyIndex.key]
    /// The lists, in one of their forms.
    private(set) var lists = 0
    private(set) var flaws: [(key: TreeKey, flaw: String)] = []

    init(_ verify: VerifyTree) async throws {
        guard let index = try await verify.tree.read(TraceKeyIndex.key).flatMap({ TraceKeyIndex($0) }) else {
            flaws.append((TraceKeyIndex.key, "it is missing or damaged"))
            return
        }
        var later: Set<TraceKey> = []
        for tag in index.tags.reversed() {
            var lists: [TraceKeyList] = []
            for form in TraceKeyForm.allCases {
                let key = TraceKeyIndex.file(tag, form)
                named.insert(key)
                guard let answer = try await verify.tree.read(key).flatMap({ PublishedAnswer($0) }),
                    let list = Self.list(answer.body, form)
                else {
                    flaws.append((key, "it is missing or damaged"))
                    continue
                }
                lists.append(list)
                if answer.value(of: TraceKeyFiles.tagField) != index.tags.last?.text {
                    flaws.append((key, "its tag isn't the newest"))
                }
                if !Self.isSigned(answer, by: verify.publicKeys, at: verify.instant) {
                    flaws.append((key, "no known key signed it"))
                }
                if list.keys.contains(where: { $0.hasExpired(at: verify.instant) }) {
                    flaws.append((key, "it has an expired key"))
                }
            }
            guard let list = lists.first, lists.allSatisfy({ $0 == list }) else {
                flaws.append((TraceKeyIndex.file(tag, .json), "the other form has other keys"))
                continue
            }
            self.lists += 1
            if tag == index.tags.last ? !list.keys.isEmpty : !later.isStrictSubset(of: list.keys) {
                flaws.append((TraceKeyIndex.file(tag, .json), "it doesn't have all keys since its tag, and no others"))
            }
            later = Set(list.keys)
        }
    }

    /// Nil unless the body is what this build would write.
    private static func list(_ body: [UInt8], _ form: TraceKeyForm) -> TraceKeyList? {
        switch form {
        case .json: TraceKeyList(json: Data(body)).flatMap { (try? $0.json()) == body ? $0 : nil }
        case .protobuf: TraceKeyList(protobuf: body).flatMap { (try? $0.protobuf()) == body ? $0 : nil }
        }
    }

    private static func isSigned(_ answer: PublishedAnswer, by keys: [VerificationKey], at now: Date) -> Bool {
        guard let token = answer.value(of: TraceKeyFiles.signatureField),
            let (signature, bytes) = ContentSignature.read(token)
        else { return false }
        return signature.covers(answer.body, at: now) && keys.contains { $0.accepts(bytes, over: signature.digest) }
    }
}
