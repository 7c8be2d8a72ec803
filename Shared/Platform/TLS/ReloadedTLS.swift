import Crypto
package import FoundationEssentials
import NIOPosix
package import Running
import Synchronization

/// What one listener or one client makes of its TLS files, made anew when they have changed.
///
/// swift-nio-extras' `TimedCertificateReloader` renews certificate and key of a server only; authorities and outgoing
/// clients would stay as they are until the next start.
package final class ReloadedTLS<Product: Sendable>: WatchedTLS {
    /// `listener` or `peer`, and which.
    package let label: (String, String)
    private let files: TLSFiles
    private let make: @Sendable (TLSMaterial) throws -> Product
    private let product: Mutex<Product>
    private let state: Mutex<State>

    private struct State {
        /// Of the files in use.
        var used: SHA256Digest
        /// Of files that were looked at and not taken.
        var refused: SHA256Digest?
        var expiry: Int
    }

    /// - Parameters:
    ///   - label: names the listener or the peer in metrics and log.
    ///   - make: is called once now, and then for every change.
    /// - Throws: what is wrong with the files now.
    package init(
        _ files: TLSFiles, label: (String, String), make: @escaping @Sendable (TLSMaterial) throws -> Product
    ) throws(ConfigurationProblem) {
        self.files = files
        self.label = label
        self.make = make
        let contents = files.contents()
        do {
            let material = try TLSMaterial(contents)
            product = Mutex(try make(material))
            state = Mutex(State(used: contents.fingerprint, refused: nil, expiry: material.expiry))
        } catch {
            throw files.problem(error as? TLSFlaw ?? .pair)
        }
    }

    /// What was made of the newest files that were in order.
    package var current: Product { product.withLock { $0 } }

    /// Of the certificate in use, in seconds since the epoch.
    package var expiry: Int { state.withLock { $0.expiry } }

    /// Reads the files, and uses them if they have changed and are valid.
    package func check(at now: Date) async -> TLSCheck {
        // It reads files: not on the cooperative pool.
        let checked = try? await NIOThreadPool.singleton.runIfActive { self.checkFiles(at: now) }
        return checked ?? .unchanged
    }

    private func checkFiles(at now: Date) -> TLSCheck {
        // One check at a time; connections take what is current meanwhile.
        state.withLock { state in
            let contents = files.contents()
            let fingerprint = contents.fingerprint
            guard fingerprint != state.used else {
                state.refused = nil
                return .unchanged
            }
            do {
                let material = try TLSMaterial(contents)
                guard Double(material.expiry) > now.timeIntervalSince1970 else { throw TLSFlaw.expired }
                let made = try make(material)
                product.withLock { $0 = made }
                state = State(used: fingerprint, refused: nil, expiry: material.expiry)
                return .taken
            } catch {
                let isNew = fingerprint != state.refused
                state.refused = fingerprint
                return .refused(error as? TLSFlaw ?? .pair, isNew: isNew)
            }
        }
    }
}
