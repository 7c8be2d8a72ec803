import COpenSSL
import Crypto
import FoundationEssentials
import HTTPContract
import Loop
import SwiftASN1
import X509

@testable import TLS

/// An authority with what it has signed.
struct Authority {
    let authority: CertificateAuthority
    static let validity = Date().addingTimeInterval(-3600)..<Date().addingTimeInterval(86_400)

    init(_ name: String = "Test authority") throws {
        authority = try CertificateAuthority.create(name: name, validity: Self.validity)
    }

    var pem: String { authority.certificatePEM }

    func issue(
        _ name: String = "somebody", role: Role? = nil, dnsNames: [String] = ["localhost"],
        ipAddresses: [String] = ["127.0.0.1"], isExpired: Bool = false
    ) throws -> CertificateAuthority.Identity {
        let start = Self.validity.lowerBound
        return try authority.issueLeaf(
            commonName: name, role: role, dnsNames: dnsNames, ipAddresses: ipAddresses,
            validity: isExpired ? start..<start.addingTimeInterval(60) : Self.validity)
    }

    /// A certificate of this authority, beside the authorities that its holder trusts.
    func material(
        _ name: String = "somebody", dnsNames: [String] = ["localhost"], ipAddresses: [String] = ["127.0.0.1"],
        isExpired: Bool = false, trusting others: [Authority]? = nil
    ) throws -> TLSMaterial {
        let identity = try issue(name, dnsNames: dnsNames, ipAddresses: ipAddresses, isExpired: isExpired)
        return try TLSMaterial(contents(identity, trusting: others))
    }

    func contents(
        _ identity: CertificateAuthority.Identity, trusting others: [Authority]? = nil, denied: String? = nil
    ) -> TLSContents {
        TLSContents(
            certificate: Array(identity.certificatePEM.utf8), key: Array(identity.privateKeyPEM.utf8),
            authorities: Array((others ?? [self]).map(\.pem).joined().utf8), denied: denied.map { Array($0.utf8) })
    }

    /// A client without a certificate that trusts this authority.
    func anonymous(protocols: [String] = []) throws -> TLSContext {
        try TLSMaterial.anonymousClient(trusting: Array(pem.utf8), protocols: protocols)
    }
}

/// A handler that writes down what happens to it.
final class Recorder: ConnectionHandler {
    private(set) var isOpen = false
    private(set) var received: [UInt8] = []
    private(set) var ends: [ConnectionEnd] = []
    private(set) var inputEnds = 0
    private(set) var arrivals: [Moment] = []
    var whenReceived: ((Connection) -> Void)?
    var whenInputEnds: ((Connection) -> Void)? = { $0.close() }
    /// How much it takes of an offer; by default all.
    var takes: (Int) -> Int = { $0 }

    var text: String { String(decoding: received, as: UTF8.self) }
    var end: ConnectionEnd? { ends.first }
    /// The library's words, if TLS failed.
    var failure: String? {
        if case .security(let words)? = end { words } else { nil }
    }

    func opened(_ connection: Connection) { isOpen = true }

    func received(_ bytes: Span<UInt8>, on connection: Connection) -> Int {
        arrivals.append(connection.arrived)
        let taken = takes(bytes.count)
        bytes.withUnsafeBufferPointer { received.append(contentsOf: $0.prefix(taken)) }
        whenReceived?(connection)
        return taken
    }

    func inputEnded(_ connection: Connection) {
        inputEnds += 1
        whenInputEnds?(connection)
    }

    func closed(_ connection: Connection, _ reason: ConnectionEnd) { ends.append(reason) }
}

/// A client and a server on a manual core, and between them a relay that sees, holds back and cuts what passes.
final class Stage {
    let core = Core(manual: Moment(nanoseconds: 1_000_000_000))
    let client: Connection
    let server: Connection
    let clientHandler = Recorder()
    let serverHandler = Recorder()
    /// What passes from the server to the client, and back.
    let toClient: Relay
    let toServer: Relay
    private(set) var clientTLS: OpaquePointer
    private(set) var serverTLS: OpaquePointer

    /// One direction of the relay.
    final class Relay: ConnectionHandler {
        /// Where its bytes go.
        fileprivate(set) var other: Connection?
        /// How many bytes pass at a time; nil for all.
        var atATime: Int?
        var isHeld = false
        private(set) var records: [(type: UInt8, count: Int)] = []
        private var unparsed: [UInt8] = []

        func received(_ bytes: Span<UInt8>, on connection: Connection) -> Int {
            guard !isHeld, let other else { return 0 }
            let count = min(bytes.count, atATime ?? .max)
            bytes.withUnsafeBufferPointer {
                unparsed += $0.prefix(count)
                other.write(Array($0.prefix(count)))
            }
            while unparsed.count >= 5 {
                let length = Int(unparsed[3]) << 8 | Int(unparsed[4])
                guard unparsed.count >= 5 + length else { break }
                records.append((unparsed[0], length))
                unparsed.removeFirst(5 + length)
            }
            if count < bytes.count { connection.resumeReading() }
            return count
        }

        func inputEnded(_ connection: Connection) {
            if !isHeld, connection.keptBytes == 0 { other?.close() }
        }

        func closed(_ connection: Connection, _ reason: ConnectionEnd) {
            other?.abort()
            other = nil
        }
    }

    init(_ clientContext: TLSContext, _ serverContext: TLSContext, serverName: String = "localhost") {
        var transports: [TLSConnection] = []
        func keep(_ transport: any SecureTransport) -> any SecureTransport {
            if let transport = transport as? TLSConnection { transports.append(transport) }
            return transport
        }
        let near = Connection.pair(on: core, secure: { keep(clientContext.connect($0, serverName: serverName)) })
        let far = Connection.pair(on: core, secure: { keep(serverContext.accept($0)) })
        client = near.0
        server = far.0
        clientTLS = transports[0].ssl
        serverTLS = transports[1].ssl
        toServer = Relay()
        toClient = Relay()
        toServer.other = far.1
        toClient.other = near.1
        near.1.outputMark = (high: 1 << 24, low: 1)
        far.1.outputMark = (high: 1 << 24, low: 1)
        near.1.start(toServer)
        far.1.start(toClient)
        relays = (near.1, far.1)
    }

    private let relays: (fromClient: Connection, fromServer: Connection)

    func start() {
        server.start(serverHandler)
        client.start(clientHandler)
    }

    /// Lets held bytes pass.
    func release() {
        toClient.isHeld = false
        toServer.isHeld = false
        relays.fromClient.resumeReading()
        relays.fromServer.resumeReading()
    }

    /// Cuts the wire towards the server without a word of TLS.
    func cut() {
        relays.fromServer.close()
    }

    /// Turns until something is so; false if it isn't after twenty seconds of the machine's time.
    @discardableResult
    func turns(until isSo: () -> Bool) -> Bool {
        let end = Moment.now() + .seconds(20)
        while !isSo() {
            if Moment.now() > end { return false }
            core.turn()
        }
        return true
    }

    func turn(_ count: Int = 30) {
        for _ in 0..<count { core.turn() }
    }

    /// Whether both sides are open.
    func opens() -> Bool {
        start()
        return turns { clientHandler.isOpen && serverHandler.isOpen || !clientHandler.ends.isEmpty }
            && clientHandler.isOpen && serverHandler.isOpen
    }

    /// Whether the server refuses, or the client does: nobody gets data.
    func fails() -> Bool {
        start()
        client.write(Array("data".utf8))
        return turns { !clientHandler.ends.isEmpty && !serverHandler.ends.isEmpty } && serverHandler.received.isEmpty
    }
}
