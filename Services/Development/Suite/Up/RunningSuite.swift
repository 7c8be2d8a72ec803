package import Catalogue
import Foundation
package import Vigil

/// What `vigil-dev up` last wrote about the suite of a state folder, for the commands that talk to it.
package struct RunningSuite: Decodable, Sendable {
    private let firstPort: Int
    /// By how many seconds the services' clocks are ahead of the machine's.
    package let clockOffset: Int

    /// Reads the state folder.
    package init(in folder: StateFolder) throws {
        guard let text = try folder.read(folder.configuration("suite")) else {
            throw CommandFailure(
                "\(folder.path) holds no suite: run `vigil-dev up` first, or name another folder with --state.")
        }
        do {
            self = try JSONDecoder().decode(RunningSuite.self, from: Data(text.utf8))
        } catch {
            throw CommandFailure("\(folder.configuration("suite")) is damaged: run `vigil-dev up` again.")
        }
    }

    /// Where a listener is.
    package func url(of service: Catalogue.Service, _ listener: Catalogue.ListenerName) throws -> String {
        try service.url(listener, firstPort: firstPort)
    }
}
