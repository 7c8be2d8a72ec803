import Crypto
import Foundation

/// Where the tree is published: a directory of this machine, or a bucket.
///
/// A place keeps objects and knows nothing of what they mean. The publisher sees to the order (packages before the indexes
/// that name them), and to it that one run writes at a time.
protocol PublishedPlace: Sendable {
    /// Everything that is there.
    func objects() async throws -> [TreeKey: StoredObject]

    /// An object's content; nil when it isn't there.
    func read(_ key: TreeKey) async throws -> [UInt8]?

    /// Writes an object whole and durably: readers see the old one or the new one, and when this returns it stays. What was
    /// written is what is there: it is compared before anybody can see it.
    func write(_ content: [UInt8], to key: TreeKey) async throws

    /// Removes objects; one that is missing is fine.
    func remove(_ keys: [TreeKey]) async throws
}

/// What a place says about an object without reading it.
struct StoredObject: Sendable, Equatable {
    let size: Int
    /// The content's MD5 where the place knows it, in lower-case hexadecimal; nil where it takes reading the object.
    var md5: String?
}

extension StoredObject {
    /// MD5 as places give it. It finds changes, it doesn't protect from anybody.
    static func md5(of content: [UInt8]) -> String {
        Insecure.MD5.hash(data: content).map { String(format: "%02x", $0) }.joined()
    }
}
