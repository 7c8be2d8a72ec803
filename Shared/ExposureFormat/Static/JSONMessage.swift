import SwiftProtobuf

/// A message as an operator wrote it: protobuf JSON.
struct JSONMessage {
    /// More help nobody, and finding them takes time.
    private static let mostFaults = 20

    private let text: [UInt8]
    private let outline: JSONOutline

    /// - Throws: ``UnfitMessage`` for what isn't an object in JSON.
    init(_ text: [UInt8]) throws(UnfitMessage) {
        guard String(validating: text, as: UTF8.self) != nil else {
            throw UnfitMessage(["The file is not JSON in UTF-8."])
        }
        self.text = text
        outline = try JSONOutline(text)
        guard case .object = outline.content else { throw UnfitMessage(["The JSON is not an object."]) }
    }

    /// - Throws: ``UnfitMessage`` with a sentence for each field that the message doesn't have or can't hold.
    func decoded<Content: Message>() throws(UnfitMessage) -> Content {
        do {
            return try Content(jsonUTF8Bytes: text)
        } catch {
            var faults: [String] = []
            collectFaults(in: outline, of: Content.self, at: Surroundings(), into: &faults)
            throw UnfitMessage(faults.isEmpty ? ["The JSON is not a \(Self.name(of: Content.self))."] : faults)
        }
    }

    private static func name(of type: (some Message).Type) -> String {
        String(type.protoMessageName.split(separator: ".").last ?? "")
    }

    // MARK: The faulty fields

    /// A path through the file: what must stand before and behind a value so that it alone is a whole file again.
    private struct Surroundings {
        var path = ""
        var before: [UInt8] = []
        var behind: [UInt8] = []

        func inside(member: JSONOutline.Member, of text: [UInt8]) -> Surroundings {
            Surroundings(
                path: path.isEmpty ? member.name : "\(path).\(member.name)",
                before: before + Array("{".utf8) + text[member.nameBytes] + Array(":".utf8),
                behind: Array("}".utf8) + behind)
        }

        func inside(element position: Int) -> Surroundings {
            Surroundings(
                path: "\(path)[\(position)]", before: before + Array("[".utf8), behind: Array("]".utf8) + behind)
        }
    }

    /// Every part of the file is decoded as a file of its own, and a part that fails is divided again, until the
    /// smallest parts that fail are found. So it needn't know the schema.
    private func collectFaults<Content: Message>(
        in value: JSONOutline, of type: Content.Type, at surroundings: Surroundings, into faults: inout [String]
    ) {
        guard faults.count < Self.mostFaults else { return }
        let fault: any Error
        do {
            _ = try Content(jsonUTF8Bytes: surroundings.before + text[value.bytes] + surroundings.behind)
            return
        } catch {
            fault = error
        }
        let before = faults.count
        switch value.content {
        case .object(let members):
            for member in members {
                let within = surroundings.inside(member: member, of: text)
                collectFaults(in: member.value, of: type, at: within, into: &faults)
            }
        case .array(let elements):
            for (position, element) in elements.enumerated() {
                collectFaults(in: element, of: type, at: surroundings.inside(element: position), into: &faults)
            }
        case .scalar: break
        }
        guard faults.count == before, !surroundings.path.isEmpty else { return }
        let line = JSONOutline.line(of: value.bytes.lowerBound, in: text)
        faults.append("\(surroundings.path) \(Self.sentence(for: fault)) (line \(line)).")
    }

    private static func sentence(for fault: any Error) -> String {
        switch fault as? JSONDecodingError {
        case .unknownField: "is not a field of this message"
        case .malformedNumber, .numberRange, .leadingZero: "is not a number that this field can hold"
        case .malformedBool: "must be true or false"
        case .unrecognizedEnumValue: "is not a value that this field knows"
        case .malformedString, .invalidUTF8: "must be a text"
        case .malformedMap, .unquotedMapKey: "must be an object"
        case .illegalNull: "must not be null"
        default: "does not have the form that this field needs"
        }
    }
}
