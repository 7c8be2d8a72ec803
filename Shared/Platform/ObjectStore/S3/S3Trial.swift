import PublishedTree

/// The trial of a store: a few objects, one below another, as the published tree has them. S3 knows no folders, but not every store that
/// speaks its language keeps an object where others are below it, or lists those.
extension S3Bucket {
    /// Their kinds are those of a day's package and of hours' packages.
    private static let day = TreeKey("version/trial/date/2000-01-01")
    /// In the order in which they are written: below, above, and below an object that is there.
    private static let trialKeys = [day / "hour/1", day, day / "hour/2"]

    /// Whether the bucket lists no object below another one, which is what a store that hides such objects looks like, and what an empty
    /// bucket does.
    package func needsTrial() async throws -> Bool {
        let listed = try await objects()
        return !listed.keys.contains { key in
            var parent = key.path[...]
            while let slash = parent.lastIndex(of: "/") {
                parent = parent[..<slash]
                if listed[TreeKey(String(parent))] != nil { return true }
            }
            return false
        }
    }

    /// Writes, lists, reads and removes the objects of the trial, and leaves none of them.
    /// - Throws: ``UnsuitableStore``; `S3Problem` if a request fails for another reason.
    package func tryOut() async throws {
        guard try await needsTrial() else { return }
        var flaw = try await flawOfWriting()
        try await remove(Self.trialKeys)
        for key in Self.trialKeys where try await read(key) != nil { flaw = flaw ?? .keepsRemoved }
        if let flaw { throw UnsuitableStore(bucket: name, flaw: flaw) }
    }

    private func flawOfWriting() async throws -> UnsuitableStore.Flaw? {
        let content = Array("trial".utf8)
        do {
            for key in Self.trialKeys { try await write(content, to: key) }
        } catch let problem as S3Problem {
            guard case .refused(let status, let code?) = problem.cause, S3Problem.nestingCodes.contains(code) else {
                throw problem
            }
            return .refusesNesting(status: status, code: code)
        }
        let listed = try await objects()
        let expected = StoredObject(size: content.count, md5: StoredObject.md5(of: content))
        for key in Self.trialKeys {
            guard let stored = try await read(key) else { return .loses }
            guard stored == content else { return .alters }
            guard let facts = listed[key] else { return .hidesNested }
            guard facts.matches(expected) else { return .alters }
        }
        return nil
    }
}
