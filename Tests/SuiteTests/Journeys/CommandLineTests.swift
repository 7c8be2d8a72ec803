import ArgumentParser
import Catalogue
import Testing

struct CommandLineTests {
    @Test("FrontDoor.all has exactly the services with a listener")
    func complete() {
        let names = Catalogue.services.filter { !$0.listeners.isEmpty }.map(\.name)
        #expect(FrontDoor.all.keys.sorted() == names.sorted())
    }

    @Test(
        "each executable has the subcommand ready, which container health checks run, and its help lists it",
        arguments: FrontDoor.all.keys.sorted())
    func ready(service: String) throws {
        let command = try #require(FrontDoor.all[service]).command
        #expect(command.helpMessage().contains("\n  ready "))
        let parsed = try command.parseAsRoot(["ready", "--config", "file"])
        #expect("\(type(of: parsed))" == "ReadyCommand")
    }
}
