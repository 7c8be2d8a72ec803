import ArgumentParser
import AsyncHTTPClient
import Credentials
import FoundationEssentials
import HTTPContract
import Hummingbird
import HummingbirdTLS
import Logging
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import NIOPosix
import NIOSSL
import TLS
import TestResultAPI
import VerificationAPI

extension TestResultResponse: ResponseEncodable {}
extension ResultAnswer: ResponseEncodable {}

/// One of the two servers that a poll passes, as Hummingbird and AsyncHTTPClient have it without anything around them: mutual TLS, the same
/// messages, but no database, and none of what `Serving` and `Calling` do.
struct BarePolling: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bare-polling", abstract: "Serve polls from the next server's answers, or a fixed result.")

    @Option(help: "The port on 127.0.0.1.") var port: Int
    @Option(help: "The server's name.") var name: String
    @Option(help: "The folder of certificates that `prepare-suite` filled.") var folder: String
    @Option(help: "The next server, such as https://localhost:18923; without it the result is fixed.") var next: String?

    func run() async throws {
        var logger = Logger(label: "benchmark")
        logger.logLevel = .warning
        var server = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMFile("\(folder)/\(name).pem").map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: "\(folder)/\(name).key", format: .pem)))
        server.trustRoots = .file("\(folder)/authority.pem")
        server.certificateVerification = .noHostnameVerification
        let application = Application(
            router: try next.map(asking) ?? answering(), server: try .tls(tlsConfiguration: server),
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)), logger: logger)
        try await application.runService()
    }

    /// The routes of the test result server.
    private func answering() -> Router<BasicRequestContext> {
        let router = Router()
        router.post(RouterPath(TestResultAPI.appResult.route.path)) { request, context in
            _ = try await request.decode(as: ResultQuery.self, context: context)
            return ResultAnswer(testResult: .pcrNegative, sampleCollected: 1_700_000_000, labID: nil)
        }
        return router
    }

    /// The routes of the verification server.
    private func asking(_ next: String) throws -> Router<BasicRequestContext> {
        let files = TLSFiles(
            certificate: "\(folder)/\(name).pem", key: "\(folder)/\(name).key", authorities: "\(folder)/authority.pem")
        let client = HTTPClient(
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            configuration: HTTPClient.Configuration(
                tlsConfiguration: try files.client(),
                connectionPool: .init(idleTimeout: .seconds(60), concurrentHTTP1ConnectionsPerHostSoftLimit: 32)))
        let router = Router()
        router.post(RouterPath(VerificationAPI.testResult.route.path)) { request, context in
            let poll = try await request.decode(as: RegisteredTestRequest.self, context: context)
            let query = ResultQuery(ResultID(HashedGUID(hashing: poll.registrationToken.identifier.text)))
            var call = HTTPClientRequest(url: next + TestResultAPI.appResult.route.path)
            call.method = .POST
            call.headers.add(name: "content-type", value: "application/json")
            call.body = .bytes(ByteBuffer(data: try JSONEncoder().encode(query)))
            let body = try await client.execute(call, timeout: .seconds(5)).body.collect(upTo: 1024)
            let answer = try JSONDecoder().decode(ResultAnswer.self, from: body)
            return TestResultResponse(
                testResult: answer.testResult, sampleCollected: answer.sampleCollected ?? 0, labID: answer.labID)
        }
        return router
    }
}
