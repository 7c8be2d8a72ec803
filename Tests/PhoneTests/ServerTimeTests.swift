import Foundation
import Testing

@testable import Phone

/// The server's time, as an app reads it.
@Suite struct ServerTimeTests {
    @Test(
        "a date field is read in the one format that servers write (RFC 9110, 5.6.7)",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777.0), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Tue, 29 Feb 2028 23:59:60 GMT", 1_835_481_600),
        ])
    func read(text: String, seconds: Double) {
        #expect(Date(httpDate: text) == Date(timeIntervalSince1970: seconds))
    }

    @Test(
        "another text is no time",
        arguments: [
            "", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun, 06 Nov 1994 08:49:37 UTC",
            "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Xyz 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT",
            "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT", " Sun, 06 Nov 1994 08:49:37 GMT",
        ])
    func refused(text: String) {
        #expect(Date(httpDate: text) == nil)
    }
}
