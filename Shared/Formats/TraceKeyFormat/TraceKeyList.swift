import ExposureKeys
package import FoundationEssentials
import StrictJSON
import SwiftProtobuf

/// Trace keys as phones download them, in either of two forms. The order depends on content alone.
package struct TraceKeyList: Hashable, Sendable {
    /// By ``TraceKey/<(_:_:)``, none twice.
    package let keys: [TraceKey]

    /// The version of the wrapper, which the path `/v3` names.
    private static let version: Int32 = 3

    /// Sorts the keys; their order and repetitions have no effect.
    package init(_ keys: some Sequence<TraceKey>) { self.keys = Set(keys).sorted() }

    // MARK: JSON

    /// `[{"cipherTextNonce","day","encryptedAssociatedData","identity","secretKeyForIdentity","version"}]`: bytes in base64url with
    /// padding, the day's first instant in milliseconds.
    package func json() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(keys.map(TraceKeyMembers.init)))
    }

    /// Reads an array in JSON; nil if any part of it isn't a key, or if a key is in it twice.
    package init?(json: Data) {
        guard let members = try? StrictJSON.decode([TraceKeyMembers].self, from: json) else { return nil }
        self.init(members.map(\.key))
    }

    // MARK: Protobuf

    /// A `ProblematicEventWrapper`.
    package func protobuf() throws -> [UInt8] {
        let wrapper = ProblematicEventWrapper.with {
            $0.version = Self.version
            $0.events = keys.map { key in
                ProblematicEvent.with {
                    $0.version = Int32(TraceKey.version)
                    $0.identity = Data(key.identity)
                    $0.secretKeyForIdentity = Data(key.secretKey)
                    $0.day = key.day.startSeconds
                    $0.encryptedAssociatedData = Data(key.associatedData)
                    $0.cipherTextNonce = Data(key.nonce)
                }
            }
        }
        return try wrapper.serializedBytes()
    }

    /// Reads a `ProblematicEventWrapper`; nil if any part of it isn't a key, or if a key is in it twice.
    package init?(protobuf: [UInt8]) {
        var options = BinaryDecodingOptions()
        options.messageDepthLimit = 2
        guard let wrapper = try? ProblematicEventWrapper(serializedBytes: protobuf, options: options),
            wrapper.version == Self.version
        else { return nil }
        self.init(
            wrapper.events.map { event in
                guard event.version == TraceKey.version, let day = Midnight.day(event.day, per: 86_400) else {
                    return nil
                }
                return TraceKey(
                    identity: Array(event.identity), secretKey: Array(event.secretKeyForIdentity), day: day,
                    associatedData: Array(event.encryptedAssociatedData), nonce: Array(event.cipherTextNonce))
            })
    }

    private init?(_ read: [TraceKey?]) {
        let keys = read.compactMap(\.self)
        self.init(keys)
        guard self.keys.count == read.count else { return nil }
    }
}
