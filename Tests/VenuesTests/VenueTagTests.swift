import Testing
import Venues

/// Tags that other programs compute.
@Suite struct VenueTagTests {
    @Test(arguments: VenueReportTests.vectors)
    func `a tag is what another program computes`(vector: VenueReportTests.Vector) throws {
        #expect(try vector.keys().tag(onDay: vector.start / 144).hex == vector.tag)
    }

    /// By `printf 9429300000007 | openssl dgst -sha384`.
    @Test func `a numbered venue's tag is the hash of its digits`() throws {
        let number = try #require(GlobalLocationNumber("9429300000007"))
        #expect(
            number.tag.hex
                == "2d688c7b1d71b2998465e7fd115ec992f014143c6da90faa67247c6067f6fc5add935cfa3ca5bd9fac824e6faa566038")
    }
}
