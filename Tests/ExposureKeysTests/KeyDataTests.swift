import ExposureKeys
import FoundationEssentials
import Testing

@Suite("Key data")
struct KeyDataTests {
    private static func random() -> [UInt8] { (0..<16).map { _ in .random(in: .min ... .max) } }

    @Test("sixteen bytes of any sequence are a key, and are returned unchanged")
    func roundTrip() throws {
        for _ in 0..<200 {
            let bytes = Self.random()
            let key = try #require(KeyData(bytes))
            #expect(key.bytes == bytes)
            #expect(KeyData(Data(bytes)) == key)
            #expect(KeyData(([1, 2] + bytes)[2...]) == key)
            #expect(KeyData(bytes.withUnsafeBytes { Array($0) }) == key)
            #expect(bytes.withUnsafeBytes { KeyData($0) } == key)
            // Not in one piece of memory.
            #expect(KeyData(AnySequence(bytes.lazy.map { $0 })) == key)
            #expect(KeyData(high: key.high, low: key.low) == key)
            #expect(key.withUnsafeBytes { Array($0) } == bytes)
            var buffer: [UInt8] = [7]
            key.append(to: &buffer)
            #expect(buffer == [7] + bytes)
        }
    }

    @Test("the first byte is the highest of the first half")
    func halves() throws {
        let key = try #require(KeyData(0..<16))
        #expect(key.high == 0x0001_0203_0405_0607)
        #expect(key.low == 0x0809_0A0B_0C0D_0E0F)
    }

    @Test("fewer or more bytes are no key", arguments: Array(0...40).filter { $0 != 16 })
    func length(count: Int) {
        let bytes = [UInt8](repeating: 1, count: count)
        #expect(KeyData(bytes) == nil)
        #expect(KeyData(AnySequence(bytes)) == nil)
    }

    @Test("the order is that of the bytes, unsigned and from the first")
    func order() throws {
        for _ in 0..<2000 {
            let left = Self.random()
            var right = left
            // Equal up to a random place, so that each byte decides now and then; at 16 all are equal.
            let place = Int.random(in: 0...16)
            for index in place..<16 { right[index] = .random(in: .min ... .max) }
            let keys = (left: try #require(KeyData(left)), right: try #require(KeyData(right)))
            #expect((keys.left < keys.right) == left.lexicographicallyPrecedes(right))
            #expect((keys.right < keys.left) == right.lexicographicallyPrecedes(left))
            #expect((keys.left == keys.right) == (left == right))
        }
    }
}
