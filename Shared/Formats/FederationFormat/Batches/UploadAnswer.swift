import FoundationEssentials
import StrictJSON

/// The answer 207 to an upload: what the gateway says of each key, by its index in the body.
///
/// What ``new`` means depends on the gateway. The European one stores nothing of such a batch, so these keys have to be
/// sent again; the Swiss one has stored them.
package struct UploadAnswer: Hashable, Sendable {
    /// 201: could be stored.
    package let new: [Int]
    /// 409: the gateway has the same record, from whichever country.
    package let known: [Int]
    /// 500: can't be stored.
    package let failed: [Int]
    /// Indices of the body that the answer doesn't name.
    package let unnamed: [Int]

    private struct Members: Codable {
        let new: [Int]?
        let known: [Int]?
        let failed: [Int]?

        enum CodingKeys: String, CodingKey {
            case new = "201"
            case known = "409"
            case failed = "500"
        }
    }

    /// An answer about a body of so many keys; nil if an index is outside of it, or there twice.
    package init?(new: [Int], known: [Int], failed: [Int], of count: Int) {
        let named = Set(new + known + failed)
        guard named.count == new.count + known.count + failed.count, named.allSatisfy((0..<count).contains) else {
            return nil
        }
        self.new = new
        self.known = known
        self.failed = failed
        unnamed = (0..<count).filter { !named.contains($0) }
    }

    /// Reads `{"201":[…],"409":[…],"500":[…]}`; nil if it isn't that, or doesn't fit a body of so many keys.
    package init?(json: [UInt8], of count: Int) {
        guard let read = try? StrictJSON.decode(Members.self, from: Data(json)) else { return nil }
        self.init(new: read.new ?? [], known: read.known ?? [], failed: read.failed ?? [], of: count)
    }

    /// As the gateway sends it.
    package func json() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return Array(try encoder.encode(Members(new: new, known: known, failed: failed)))
    }
}
