import ExposureKeys
import Testing
import Venues

@Suite struct VenueTagTests {
    @Test(arguments: VenueReportTests.vectors)
    func `a tag is what another program computes`(vector: VenueReportTests.Vector) throws {
        let tag = VenueTag(of: try vector.keys(), on: Day(number: Int32(vector.start / 144)))
        #expect(tag.text == vector.tag)
        #expect(VenueTag(vector.tag) == tag)
    }

    /// By `printf 9429300000007 | openssl dgst -sha384`.
    @Test func `a numbered venue's tag is the hash of its digits`() throws {
        let number = try #require(GlobalLocationNumber("9429300000007"))
        #expect(
            VenueTag(of: number).text
                == "2d688c7b1d71b2998465e7fd115ec992f014143c6da90faa67247c6067f6fc5add935cfa3ca5bd9fac824e6faa566038")
    }

    @Test(arguments: ["9429300000008", "942930000000", "94293000000070", "942930000000x", "", "٩429300000007"])
    func `a location number has 13 digits, the last of which is right`(text: String) {
        #expect(GlobalLocationNumber(text) == nil)
    }

    @Test(arguments: [
        "", String(repeating: "a", count: 63), String(repeating: "A", count: 64), String(repeating: "g", count: 96),
    ])
    func `a tag has 64 or 96 lower-case hexadecimal digits`(text: String) {
        #expect(VenueTag(text) == nil)
    }
}
