import SwiftProtobuf

/// A message that an operator wrote as protobuf JSON.
struct ProtobufJSON {
    /// More wouldn't help, and finding them takes time.
    private static let maximumFaults = 20

    private let text: [UInt8]
    private let outline: JSONOutline

    /// - Throws: ``InvalidMessage`` if the text isn't a JSON object.
    init(_ text: [UInt8]) throws(InvalidMessage) {
        guard String(validating: text, as: UTF8.self) != nil else {
            throw InvalidMessage(["The file is not JSON in UTF-8."])
        }
        self.text = text
        outline = try JSONOutline(text)
        guard case .object = outline.content else { throw InvalidMessage(["The JSON is not an object."]) }
    }

    /// - Throws: ``InvalidMessage`` with a sentence for each unknown field and each invalid value.
    func decoded<Content: Message>() throws(InvalidMessage) -> Content {
        do {
            return try Content(jsonUTF8Bytes: text)
        } catch {
            var faults: [String] = []
            collectFaults(in: outline, of: Content.self, at: Surroundings(), into: &faults)
            throw InvalidMessage(faults.isEmpty ? ["The JSON is not a \(Self.name(of: Content.self))."] : faults)
        }
    }

    private static func name(of type: (some Message).Type) -> String {
        String(type.protoMessageName.split(separator: ".").last ?? "")
    }

    // MARK: The faulty fields

    /// The path of a value, and the text before and after it that turn the value alone into a complete document.
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

    /// Decodes every part of the document as a document of its own, and divides parts that fail, down to the smallest ones.
    ///
    /// So it needs no knowledge of the schema.
    private func collectFaults<Content: Message>(
        in value: JSONOutline, of type: Content.Type, at surroundings: Surroundings, into faults: inout [String]
    ) {
        guard faults.count < Self.maximumFaults else { return }
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
            for member in members where faults.count < Self.maximumFaults {
                let within = surroundings.inside(member: member, of: text)
                if isUnknown(within, to: type) {
                    faults.append(sentence("is not a field of this message", at: member.nameBytes, within.path))
                    continue
                }
                collectFaults(in: member.value, of: type, at: within, into: &faults)
            }
        case .array(let elements):
            for (position, element) in elements.enumerated() {
                collectFaults(in: element, of: type, at: surroundings.inside(element: position), into: &faults)
            }
        case .scalar: break
        }
        guard faults.count == before, !surroundings.path.isEmpty else { return }
        faults.append(sentence(Self.reason(for: fault), at: value.bytes, surroundings.path))
    }

    /// Whether a field is unknown: null is allowed for every known field.
    private func isUnknown<Content: Message>(_ surroundings: Surroundings, to type: Content.Type) -> Bool {
        do {
            _ = try Content(jsonUTF8Bytes: surroundings.before + Array("null".utf8) + surroundings.behind)
            return false
        } catch JSONDecodingError.unknownField {
            return true
        } catch {
            return false
        }
    }

    private func sentence(_ reason: String, at bytes: Range<Int>, _ path: String) -> String {
        "\(path) \(reason) (line \(JSONOutline.line(of: bytes.lowerBound, in: text)))."
    }

    private static func reason(for fault: any Error) -> String {
        switch fault as? JSONDecodingError {
        case .malformedNumber, .numberRange, .leadingZero: "is not a number that this field can hold"
        case .malformedBool: "must be true or false"
        case .unrecognizedEnumValue: "is not a value of this field's enumeration"
        case .malformedString, .invalidUTF8: "must be a string"
        case .malformedMap, .unquotedMapKey: "must be an object"
        case .illegalNull: "must not be null"
        default: "does not have the form that this field needs"
        }
    }
}
