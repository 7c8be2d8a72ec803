import Phone

/// What phones sent, by what it was for.
struct Traffic: Sendable, Equatable {
    /// The classes of requests that the report distinguishes.
    enum Class: String, CaseIterable, Codable, Sendable {
        case configuration, index, keyPackage, warnings
        case registration, result, tan, upload, dummy, push
    }

    /// The number of requests of each class.
    private(set) var requests: [Class: Int] = [:]
    /// The bytes of each class: the sizes of downloaded files, and the lengths of what was exchanged with the metadata proxy.
    private(set) var bytes: [Class: Int] = [:]

    /// No traffic.
    init() {}

    /// Counts one request; others than requests to a server don't count.
    mutating func count(_ kind: App.Request.Kind, bytes size: Int) {
        guard let name = Class(kind) else { return }
        requests[name, default: 0] += 1
        bytes[name, default: 0] += size
    }

    /// The sum.
    static func += (sum: inout Traffic, other: Traffic) {
        sum.requests.merge(other.requests, uniquingKeysWith: +)
        sum.bytes.merge(other.bytes, uniquingKeysWith: +)
    }
}

extension Traffic.Class {
    /// Nil for what a phone does by itself.
    fileprivate init?(_ kind: App.Request.Kind) {
        switch kind {
        case .configuration: self = .configuration
        case .dayIndex, .hourIndex, .warningIndex: self = .index
        case .package: self = .keyPackage
        case .warnings: self = .warnings
        case .register: self = .registration
        case .result: self = .result
        case .tan: self = .tan
        case .upload: self = .upload
        case .pretend: self = .dummy
        case .registerForPush: self = .push
        case .detect, .show, .askForPushToken, .cancelPush: return nil
        }
    }
}
