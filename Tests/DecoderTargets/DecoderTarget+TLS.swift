import FoundationEssentials
import Glibc
import HTTPContract
import Loop
import TLS

/// Bytes that a TLS client sends, up to the requests in them.
///
/// OpenSSL reads and writes a descriptor itself here, so two ends of a pair of local sockets stand for the wire; nothing else
/// of the machine is used. A handshake has random numbers of both sides, so what follows one can't stand in a corpus: a client
/// of ours makes it.
extension DecoderTarget {
    /// A byte that says what follows: 0 bytes instead of a handshake, 1 bytes behind one, which are no records of its client, and
    /// above that requests in records of that many bytes.
    static func tlsRequests(_ bytes: Data) -> Verdict {
        guard let kind = bytes.first else { return .refused }
        let rest = Array(bytes.dropFirst())
        guard let ends = TLSEnds.made, let wire = Wire() else { return .broken("there is no server") }
        let server = ends.server.accept(wire.server)
        switch kind {
        case 0: return judge(rest, insteadOfHandshake: server, wire)
        case 1:
            guard let client = open(ends, server, wire) else { return .broken("the handshake fails") }
            defer { withExtendedLifetime(client) {} }
            wire.send(rest)
            return read(server).bytes.isEmpty ? .refused : .broken("what isn't encrypted is read")
        default:
            guard let client = open(ends, server, wire) else { return .broken("the handshake fails") }
            return judge(rest, of: client, server, atATime: Int(kind))
        }
    }

    /// Bytes of somebody without keys, at once and in two pieces.
    private static func judge(
        _ bytes: [UInt8], insteadOfHandshake server: any SecureTransport, _ wire: Wire
    ) -> Verdict {
        wire.send(bytes)
        let outcome = text(server.handshake(), server)
        guard outcome != "done" else { return .broken("a handshake without keys succeeds") }
        // A hello costs an attacker more than a hundred bytes and us a certificate.
        guard wire.waiting() <= 8192 else { return .broken("more leaves than a certificate") }
        guard let ends = TLSEnds.made, let other = Wire() else { return .broken("there is no server") }
        let slow = ends.server.accept(other.server)
        var last = "wants more"
        for piece in [bytes[..<(bytes.count / 2)], bytes[(bytes.count / 2)...]] where last == "wants more" {
            other.send(Array(piece))
            last = text(slow.handshake(), slow)
        }
        guard last == outcome else { return .broken("in pieces: \(last); at once: \(outcome)") }
        // A hello that is complete is answered.
        return outcome == "wants more" && wire.waiting() > 0 ? .value : .refused
    }

    private static func text(_ outcome: SecureOutcome, _ transport: any SecureTransport) -> String {
        switch outcome {
        case .done: "done"
        case .wantsRead, .wantsWrite: "wants more"
        case .ended, .truncated: "ended"
        case .broken(let reason): "broken \(reason)"
        case .failed: transport.failure
        }
    }

    /// Requests of a client: what the server decrypts is what the client sent, and is read as if it had come in the clear.
    private static func judge(
        _ bytes: [UInt8], of client: any SecureTransport, _ server: any SecureTransport, atATime step: Int
    ) -> Verdict {
        var received: [UInt8] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(step))
            guard case .done(piece.count) = piece.withUnsafeBytes({ client.write($0) }) else {
                return .broken("a client can't write")
            }
            rest = rest.dropFirst(step)
            received += read(server).bytes
        }
        _ = client.shutDown()
        let last = read(server)
        received += last.bytes
        guard received == bytes, case .ended = last.end else { return .broken("what arrives is something else") }
        let reading = HTTP1Reading(requests: received, atATime: step)
        return reading == HTTP1Reading(requests: bytes, atATime: bytes.count)
            ? reading.verdict : .broken("in records it is read otherwise")
    }

    /// Everything that can be read, and why no more can.
    private static func read(_ transport: any SecureTransport) -> (bytes: [UInt8], end: SecureOutcome) {
        var bytes: [UInt8] = []
        while true {
            var piece = [UInt8](repeating: 0, count: 4096)
            let outcome = piece.withUnsafeMutableBytes { transport.read(into: $0) }
            guard case .done(let count) = outcome else { return (bytes, outcome) }
            bytes += piece.prefix(count)
        }
    }

    /// A client that has done its handshake.
    private static func open(
        _ ends: TLSEnds, _ server: any SecureTransport, _ wire: Wire
    ) -> (any SecureTransport)? {
        let client = ends.client.connect(wire.client, serverName: "localhost")
        for _ in 0..<8 {
            if case .done = client.handshake(), case .done = server.handshake() { return client }
            _ = server.handshake()
        }
        return nil
    }

    /// Two ends that never wait. They are closed after their transports are gone.
    private final class Wire {
        let client: Int32
        let server: Int32

        init?() {
            var ends: [Int32] = [-1, -1]
            guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0 else {
                return nil
            }
            (client, server) = (ends[0], ends[1])
        }

        deinit {
            close(client)
            close(server)
        }

        /// From the client to the server; what doesn't fit is lost.
        func send(_ bytes: [UInt8]) { _ = Glibc.send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }

        /// How many bytes wait for the client.
        func waiting() -> Int {
            var count: Int32 = 0
            return ioctl(client, UInt(FIONREAD), &count) == 0 ? Int(count) : .max
        }
    }
}

/// A server, and a client that trusts it. The server asks for a certificate, and goes on without.
private struct TLSEnds: Sendable {
    let server: TLSContext
    let client: TLSContext

    /// Nil if it can't be made. The files exist until they have been read.
    static let made: TLSEnds? = {
        let folder = FileManager.default.temporaryDirectory.appending(path: "vigil-decoders-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        return try? TLSEnds(in: folder)
    }()

    private init(in folder: URL) throws {
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        let now = Date()
        let validity = now.addingTimeInterval(-3600)..<now.addingTimeInterval(86_400 * 365)
        let authority = try CertificateAuthority.create(name: "decoders", validity: validity)
        let identity = try authority.issueLeaf(commonName: "server", role: nil, validity: validity)
        func write(_ text: String, _ name: String) throws -> String {
            let file = folder.appending(path: name)
            try Data(text.utf8).write(to: file)
            return file.path
        }
        let authorities = try write(authority.certificatePEM, "authority.pem")
        let files = TLSFiles(
            certificate: try write(identity.certificatePEM, "server.pem"),
            key: try write(identity.privateKeyPEM, "server.key"), authorities: authorities)
        server = try files.optionalServer(protocols: ["http/1.1"])
        client = try TLSFiles.anonymousClient(trusting: authorities, protocols: ["http/1.1"])
    }
}
