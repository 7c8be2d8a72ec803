import FileAnswers
import Testing

@Suite("Content codings")
struct ContentCodingTests {
    @Test(
        "gzip is taken by who names it with a weight",
        arguments: [
            ("gzip", true), ("GZip", true), (" gzip ; q=1.0", true), ("deflate,gzip", true), ("gzip;q=0.001", true),
            ("", false), ("*", false), ("gzip;q=0", false), ("gzip;q=0.000", false), ("gzip;q=x", false),
            ("x-gzip", false), ("gzipped", false),
        ])
    func gzip(_ field: String, _ accepts: Bool) {
        #expect(ContentCoding.acceptsGzip(field) == accepts)
        #expect(!ContentCoding.acceptsGzip(nil))
    }
}
