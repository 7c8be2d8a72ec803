import FoundationEssentials
package import HTTPContract
import NIOCore
import NIOHTTP2
package import NIOPosix
import NIOSSL
import NIOTLS
package import Running
import Serving
package import TLS

/// A port on which the simulated service listens, as Apple's two hosts do: TLS 1.2 or later, HTTP/2 only.
package final class SimulatedHost: PortOwner {
    /// Names the port in metrics and log messages.
    package var listener: String { acceptor.listener }
    /// The port, once it is open.
    package var bound: BoundPort { acceptor.bound }
    /// A client certificate is optional; without one a provider token is required.
    package var checksCallers: Bool { false }
    /// None: the API is Apple's.
    package var operations: [EndpointDescription] { [] }

    private let service: SimulatedAPNs
    private let acceptor: Acceptor
    private let tls: NIOSSLContext

    /// - Parameters:
    ///   - listener: its name.
    ///   - tls: its certificate, and the authorities of client certificates, if it accepts any.
    package init(
        _ listener: String, of service: SimulatedAPNs, host: String, port: Int, tls files: TLSFiles,
        on group: MultiThreadedEventLoopGroup = .singleton
    ) throws {
        self.service = service
        acceptor = Acceptor(
            listener, of: "development-apns", host: host, port: port, connections: 4096, otherFiles: 256, on: group)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMFile(files.certificate).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: files.key, format: .pem)))
        configuration.minimumTLSVersion = .tlsv12
        configuration.cipherSuiteValues = NIOTLSCipher.publicServer
        configuration.applicationProtocols = ["h2"]
        if let authorities = files.authorities {
            configuration.certificateVerification = .optionalVerification
            configuration.trustRoots = .file(authorities)
            configuration.sendCANameList = true
        }
        tls = try NIOSSLContext(configuration: configuration)
    }

    /// Accepts connections until shutdown, then closes them all.
    package func run() async throws {
        try await acceptor.run { bootstrap in
            bootstrap.childChannelInitializer { [self] channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandlers([CloseAtShutdown(), NIOSSLServerHandler(context: tls)])
                    try pipeline.addHandler(
                        ApplicationProtocolNegotiationHandler { [self] result, channel in
                            channel.eventLoop.makeCompletedFuture {
                                guard case .negotiated("h2") = result else { return channel.close(promise: nil) }
                                try speak(channel)
                            }
                        })
                }
            }
        }
    }

    private func speak(_ channel: any Channel) throws {
        let pipeline = channel.pipeline.syncOperations
        let certificate = try pipeline.handler(type: NIOSSLServerHandler.self).peerCertificate
        let connection = SimulatedConnection(service, hasCertificate: certificate != nil)
        var settings = NIOHTTP2Handler.ConnectionConfiguration()
        settings.initialSettings = [
            HTTP2Setting(
                parameter: .maxConcurrentStreams,
                value: SimulatedConnection.initialLimit(service, hasCertificate: certificate != nil)),
            HTTP2Setting(parameter: .maxHeaderListSize, value: 8000),
        ]
        if let window = service.rules.window {
            settings.initialSettings.append(HTTP2Setting(parameter: .initialWindowSize, value: window))
        }
        // A client acknowledges each change of the limit with a control frame.
        settings.controlFrameRateLimit.maximumCount = 1_000_000
        // The body of a refused stream may still arrive; if the stream is forgotten, that is a connection error.
        settings.maximumRecentlyResetStreams = 10_000
        var streams = NIOHTTP2Handler.StreamConfiguration()
        streams.streamResetFrameRateLimit.maximumCount = 1_000_000
        streams.streamErrorRateLimit.maximumCount = 1_000_000
        try pipeline.addHandler(
            NIOHTTP2Handler(mode: .server, connectionConfiguration: settings, streamConfiguration: streams))
        try pipeline.addHandler(connection)
    }
}

/// Closes its connection as soon as shutdown begins.
private final class CloseAtShutdown: ChannelInboundHandler {
    typealias InboundIn = NIOAny

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }
}
