import Crypto
package import FoundationEssentials
import Loop
package import Running
import Synchronization

/// The product that one listener or one client makes from its TLS files, recreated when they change.
package final class ReloadedTLS<Product: Sendable>: WatchedTLS {
    /// The metric's label: `listener` or `peer`, and its name.
    package let label: (String, String)
    private let files: TLSFiles
    private let make: @Sendable (TLSMaterial) throws -> Product
    private let product: Mutex<Product>
    private let state: Mutex<State>

    private struct State {
        /// The digest of the files in use.
        var used: SHA256Digest
        /// The digest of the last rejected files.
        var refused: SHA256Digest?
        var expiry: Int
    }

    /// - Parameters:
    ///   - label: names the listener or the peer in metrics and log.
    ///   - make: called once now and then for every change.
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

    /// The product of the newest valid files.
    package var current: Product { product.withLock { $0 } }

    /// When the certificate in use expires, in seconds since the epoch.
    package var expiry: Int { state.withLock { $0.expiry } }

    /// Reads the files, and uses them if they have changed and are valid.
    package func check(at now: Date) async -> TLSCheck {
        await Blocking.run { self.checkFiles(at: now) }
    }

    private func checkFiles(at now: Date) -> TLSCheck {
        // One check at a time; meanwhile connections use the current product.
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
