import HTTPTypes
import Testing

struct MessageTests {
    @Test("a method is a token and compared with case")
    func methods() {
        #expect(HTTPRequest.Method("POST") == .post)
        #expect(HTTPRequest.Method("post") != .post)
        #expect(HTTPRequest.Method.get.rawValue == "GET")
        #expect(HTTPRequest.Method("G T") == nil)
        #expect(HTTPRequest.Method("") == nil)
    }

    @Test("a status has a kind and the registered words")
    func statuses() {
        #expect(HTTPResponse.Status(code: 404) == .notFound)
        #expect(HTTPResponse.Status.notFound == 404)
        #expect("\(HTTPResponse.Status.contentTooLarge)" == "413 Content Too Large")
        #expect(HTTPResponse.Status(code: 299).reasonPhrase == "")
        #expect(HTTPResponse.Status(code: 299).kind == .successful)
        #expect(
            [100, 200, 302, 431, 503, 600, 99].map { HTTPResponse.Status(code: $0).kind }
                == [.informational, .successful, .redirection, .clientError, .serverError, .invalid, .invalid])
    }

    @Test("requests and answers carry their fields")
    func messages() {
        var request = HTTPRequest(method: .get, scheme: "https", authority: "localhost", path: "/")
        request.headerFields[values: .cookie] = ["a=1", "b=2"]
        #expect(request.headerFields[.cookie] == "a=1; b=2")
        #expect(HTTPResponse(status: .ok, headerFields: [.contentLength: "0"]).headerFields.count == 1)
    }
}
