import ExposureKeys
import Foundation
import Phone

/// The sizes of published files, from the folder that the suite publishes to.
struct PublishedSize {
    /// The published tree.
    let tree: String

    /// The bytes of the file that a download asks for; 0 if there is none.
    func bytes(of kind: App.Request.Kind) -> Int {
        guard let path = path(of: kind) else { return 0 }
        let attributes = try? FileManager.default.attributesOfItem(atPath: "\(tree)/\(path)")
        return (attributes?[.size] as? NSNumber)?.intValue ?? 0
    }

    private func path(of kind: App.Request.Kind) -> String? {
        let keys = "version/v1/diagnosis-keys/country/DE/date"
        return switch kind {
        case .dayIndex: "\(keys)/index"
        case .hourIndex(let day): "\(keys)/\(day.name)/hour/index"
        case .package(let package, _):
            package.hour.map { "\(keys)/\(package.day.name)/hour/\($0.ofDay)/index" }
                ?? "\(keys)/\(package.day.name)/index"
        default: nil
        }
    }
}
