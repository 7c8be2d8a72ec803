import ArgumentParser
import DevelopmentAPNs
import Distribution
import DownloadServer
import MetadataProxy
import PushDispatcher
import SubmissionServer
import TestResultServer
import Testing
import VerificationServer

struct CommandLineTests {
    private static let services: [any AsyncParsableCommand.Type] = [
        TestResultServer.self, VerificationServer.self, SubmissionServer.self, PushDispatcher.self, Distribution.self,
        DownloadServer.self, MetadataProxy.self, DevelopmentAPNs.self,
    ]

    @Test("each service's executable takes ready, which containers' health checks call, and its help says so")
    func ready() throws {
        for service in Self.services {
            #expect(service.helpMessage().contains("\n  ready "), "\(service)")
            let command = try service.parseAsRoot(["ready", "--config", "file"])
            #expect("\(type(of: command))" == "ReadyCommand", "\(service)")
        }
    }
}
