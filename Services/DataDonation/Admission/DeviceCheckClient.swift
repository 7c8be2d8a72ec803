import AsyncHTTPClient
import DeviceCheck
import FoundationEssentials
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import NIOPosix
import NIOSSL
import Running
import ServiceLifecycle
import TLS

/// Asks Apple's DeviceCheck service.
///
/// Each call has a deadline and a limit for the answer, and follows no redirect. Neither token nor answer is ever logged.
struct DeviceCheckClient: Service {
    private let base: String
    private let key: DeviceCheckKey
    private let client: HTTPClient
    private let clock: WallClock

    private let deadline: TimeAmount
    /// Calls at a time; more wait, and end with the deadline.
    private static let connections = 64

    /// From `deviceCheck.key`, `.keyID`, `.teamID`, `.url`, `.authorities` and `.milliseconds`; nil if the first isn't set.
    init?(_ settings: Settings, clock: WallClock) throws(ConfigurationProblem) {
        guard settings.optionalString("deviceCheck.key") != nil else { return nil }
        let path = try settings.path("deviceCheck.key")
        do {
            key = try DeviceCheckKey(
                pem: (try? String(contentsOfFile: path, encoding: .utf8)) ?? "",
                keyID: settings.string("deviceCheck.keyID"), team: settings.string("deviceCheck.teamID"))
        } catch let error as UnusableDeviceCheckKey {
            throw settings.wrong("deviceCheck.key", "names \(path). \(error)")
        } catch let error as ConfigurationProblem {
            throw error
        } catch {
            throw settings.wrong("deviceCheck.key", "names \(path), which holds no key")
        }
        base = try settings.url("deviceCheck.url", default: "https://api.devicecheck.apple.com")
        // Two calls fit into the two seconds that the metadata proxy waits for an answer.
        deadline = .milliseconds(Int64(try settings.int("deviceCheck.milliseconds", default: 800, in: 50...60_000)))
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: .makeClientConfiguration(), redirectConfiguration: .disallow,
            timeout: .init(connect: deadline, read: deadline), decompression: .disabled)
        if settings.optionalString("deviceCheck.authorities") != nil {
            configuration.tlsConfiguration =
                try TLSFiles.anonymousClient(trusting: settings.path("deviceCheck.authorities"))
        }
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = Self.connections
        client = HTTPClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: configuration)
        self.clock = clock
    }

    func run() async throws {
        try? await gracefulShutdown()
        try await client.shutdown()
    }

    /// What Apple answers; `.tryLater` without an answer in time.
    func ask(_ operation: DeviceCheckRequest.Operation, of token: DeviceToken) async -> DeviceCheckAnswer {
        let now = clock.now
        guard let bearer = try? key.token(at: now),
            let body = try? DeviceCheckRequest(operation, token: token, transaction: UUID()).json(at: now)
        else { return .ourFault }
        var request = HTTPClientRequest(url: base + operation.path)
        request.method = .POST
        request.headers.add(name: "content-type", value: "application/json")
        request.headers.add(name: "authorization", value: "Bearer \(bearer)")
        request.body = .bytes(ByteBuffer(bytes: body))
        guard let response = try? await client.execute(request, timeout: deadline),
            let answer = try? await response.body.collect(upTo: DeviceCheckAnswer.longest)
        else { return .tryLater }
        return DeviceCheckAnswer(
            to: operation, status: Int(response.status.code), body: Array(answer.readableBytesView))
    }
}
