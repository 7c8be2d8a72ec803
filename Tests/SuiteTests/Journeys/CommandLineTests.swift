import ArgumentParser
import Catalogue
import Testing

struct CommandLineTests {
    @Test("every service with a listener is in FrontDoor.all, and nothing else")
    func complete() {
        #expect(Set(FrontDoor.all.keys) == Set(Catalogue.services.filter { !$0.listeners.isEmpty }.map(\.name)))
    }

    @Test(
        "each executable has the subcommand ready, which containers' health checks run, and its help says so",
        arguments: FrontDoor.all.keys.sorted())
    func ready(service: String) throws {
        let command = try #require(FrontDoor.all[service]).command
        #expect(command.helpMessage().contains("\n  ready "))
        let parsed = try command.parseAsRoot(["ready", "--config", "file"])
        #expect("\(type(of: parsed))" == "ReadyCommand")
    }
}
