/// Collects the values of a message that would break phones.
///
/// Each finding is a sentence that begins with the field's path in JSON:
/// `riskCalculationParameters.trlFilters[0].dropIfTrlInRange.min must be …`.
struct MessageReview {
    private(set) var findings: [String] = []
    /// What breaks no phone, but looks like a mistake: sentences as those of ``findings``.
    private(set) var notices: [String] = []
    private var path = ""

    /// Reviews the fields of a sub-message.
    mutating func inside(_ field: String, _ look: (inout MessageReview) -> Void) {
        let outer = path
        path += "\(field)."
        look(&self)
        path = outer
    }

    /// Reviews each element of a repeated field.
    mutating func each<Element>(
        _ field: String, _ elements: [Element], _ look: (Element, inout MessageReview) -> Void
    ) {
        for (position, element) in elements.enumerated() {
            inside("\(field)[\(position)]") { look(element, &$0) }
        }
    }

    /// Adds a finding unless the condition holds.
    /// - Parameter rule: follows the field's path; without a full stop.
    mutating func require(_ holds: Bool, _ field: String, _ rule: String) {
        if !holds { findings.append("\(path)\(field) \(rule).") }
    }

    /// Reviews a sub-message that phones require.
    /// - Parameter consequence: says which app breaks without it.
    mutating func requirePresence(
        _ present: Bool, _ field: String, breaking consequence: String? = nil, _ look: (inout MessageReview) -> Void
    ) {
        require(present, field, "is missing\(consequence.map { ": \($0)" } ?? "")")
        if present { inside(field, look) }
    }

    // MARK: Numbers

    /// NaN is in no range.
    mutating func require(_ value: Double, in range: ClosedRange<Double>, _ field: String) {
        require(range.contains(value), field, "must be from \(range.lowerBound) to \(range.upperBound)")
    }

    /// - Parameter consequence: says what an app does with other values.
    mutating func require<Number: BinaryInteger>(
        _ value: Number, in range: ClosedRange<Number>, _ field: String, orElse consequence: String? = nil
    ) {
        let reason = consequence.map { ": \($0)" } ?? ""
        require(range.contains(value), field, "must be from \(range.lowerBound) to \(range.upperBound)\(reason)")
    }

    mutating func requireFinite(_ value: Double, _ field: String) {
        require(value.isFinite, field, "must be a finite number")
    }

    mutating func requireWeight(_ value: Double, _ field: String) {
        require(value.isFinite && value >= 0, field, "must be a finite number of at least 0")
    }

    mutating func requireProbability(_ value: Double, _ field: String) {
        require(value, in: 0...1, field)
    }

    mutating func requireAtLeast<Number: BinaryInteger>(_ minimum: Number, _ value: Number, _ field: String) {
        require(value >= minimum, field, "must be at least \(minimum)")
    }

    // MARK: Lists

    mutating func requireUnique<Value: Hashable>(_ values: [Value], _ field: String) {
        require(Set(values).count == values.count, field, "must not have the same value twice")
    }

    /// Adds a notice for each value that is there more than once.
    /// - Parameter consequence: what phones do then.
    mutating func noteRepeated<Value: Hashable & Comparable & CustomStringConvertible>(
        _ values: [Value], _ field: String, so consequence: String
    ) {
        let repeated = Dictionary(grouping: values, by: \.self).filter { $1.count > 1 }.keys.sorted()
        notices += repeated.map { "\(path)\(field) has \($0) more than once: \(consequence)." }
    }

    /// In dB: three thresholds, which make four buckets.
    mutating func requireAttenuationThresholds(_ values: [Int32], _ field: String) {
        require(values.count == 3, field, "must have three values")
        require(values.allSatisfy { (0...255).contains($0) }, field, "must have values from 0 to 255")
        require(zip(values, values.dropFirst()).allSatisfy(<), field, "must ascend")
    }

    /// Maps days to infectiousness: 0 none, 1 standard, 2 high.
    mutating func requireInfectiousness(_ map: [Int32: Int32], _ field: String) {
        require(map.keys.allSatisfy { (-14...14).contains($0) }, field, "must have days from -14 to 14")
        require(map.values.allSatisfy { (0...2).contains($0) }, field, "must have values from 0 to 2")
    }

    // MARK: Text

    /// An address that a phone opens in a browser.
    mutating func requireWebAddress(_ text: String, _ field: String) {
        let prefix = "https://"
        let isAddress =
            text.hasPrefix(prefix) && text.utf8.count > prefix.utf8.count
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        require(isAddress, field, "must be an address that begins with https://")
    }
}
