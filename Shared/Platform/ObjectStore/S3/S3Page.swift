import PublishedTree

/// One page of the answer to `ListObjectsV2`.
struct S3Page: Sendable {
    /// Only those whose keys can be objects of the published tree.
    private(set) var objects: [TreeKey: StoredObject] = [:]
    /// The token for the next page; nil if this is the last.
    let next: String?

    /// Nil if the element is no such page.
    init?(_ element: S3Element) {
        guard element.name == "ListBucketResult" else { return nil }
        switch element["IsTruncated"] {
        case "true":
            guard let token = element["NextContinuationToken"], !token.isEmpty else { return nil }
            next = token
        case "false": next = nil
        default: return nil
        }
        for entry in element.children where entry.name == "Contents" {
            guard let path = entry["Key"], let size = entry["Size"].flatMap({ Int($0) }), size >= 0 else { return nil }
            // Another program's object.
            guard let key = TreeKey(requested: path), key.path == path else { continue }
            objects[key] = StoredObject(size: size, md5: entry["ETag"].flatMap(StoredObject.md5(entityTag:)))
        }
    }
}

extension StoredObject {
    /// The MD5 that an entity tag consists of.
    ///
    /// Nil if the object was uploaded in parts (the tag has a hyphen then) or the store makes tags in another way.
    static func md5(entityTag: String) -> String? {
        guard entityTag.count == 34, entityTag.hasPrefix("\""), entityTag.hasSuffix("\"") else { return nil }
        let digits = entityTag.dropFirst().dropLast().lowercased()
        return digits.utf8.allSatisfy { byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
        } ? digits : nil
    }
}
