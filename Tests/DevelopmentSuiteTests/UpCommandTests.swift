import ArgumentParser
import DevelopmentSuite
import Testing

@Suite("The command line of vigil-dev up")
struct UpCommandTests {
    @Test("the story is played, or is all, or is left out", arguments: [[], ["--story"], ["--no-story"]])
    func accepted(options: [String]) throws {
        _ = try DevelopmentCommand.parseAsRoot(["up"] + options)
    }

    @Test("a suite that ends after no story is refused")
    func contradiction() {
        #expect(throws: (any Error).self) { try DevelopmentCommand.parseAsRoot(["up", "--story", "--no-story"]) }
    }
}
