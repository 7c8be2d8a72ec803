import Crypto
import Testing
import Venues

@Suite struct VenueSeedTests {
    /// Recomputed with Python's `cryptography` and with OpenSSL.
    @Test(arguments: [
        (
            Array(UInt8(0)..<32), "4133b72ecdfd4c95edb7eed5312a994c49d12760d46daed396b024a30d02e489",
            "8d8ba739cd15be594e3cb85346cd740a0c214d77940fea7b4fa8136fcb46d3d4"
        ),
        (
            [UInt8](repeating: 0xff, count: 16), "497ef1194f7ddb3cd2f514bfeea38a61a90b2d2434c3a513551fbb45686e2a3a",
            "a65007c43c651a88e86426a29ea751886c5ea8a29379e3b553054c2acccec396"
        ),
    ])
    func `a seed gives the published keys`(seed: [UInt8], encryption: String, authentication: String) throws {
        let keys = try #require(VenueSeed(seed)).keys
        #expect(hex(keys.encryption) == encryption)
        #expect(hex(keys.authentication) == authentication)
    }

    @Test(arguments: [0, 15, 65]) func `a seed has 16 to 64 bytes`(count: Int) {
        #expect(VenueSeed([UInt8](repeating: 1, count: count)) == nil)
    }

    private func hex(_ key: SymmetricKey) -> String {
        key.withUnsafeBytes { $0.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() }
    }
}
