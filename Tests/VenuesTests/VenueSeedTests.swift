import Testing
import Venues

@Suite struct VenueSeedTests {
    @Test(arguments: [0, 15, 65]) func `a seed has 16 to 64 bytes`(count: Int) {
        #expect(VenueSeed([UInt8](repeating: 1, count: count)) == nil)
    }
}
