/// Bytes from hexadecimal digits, between which spaces may stand.
func hex(_ text: String) -> [UInt8] {
    let digits = text.compactMap { $0.hexDigitValue.map(UInt8.init) }
    precondition(digits.count.isMultiple(of: 2))
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}
