extension SQL {
    /// Calls `body` with the arrays that libpq wants: count, values, lengths, formats (all binary).
    func withParameters<Result>(
        _ body: (
            Int32, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?
        ) -> Result
    ) -> Result {
        let count = parameters.count
        guard count > 0 else { return body(0, nil, nil, nil) }
        return payload.withUnsafeBytes { payload in
            withUnsafeTemporaryAllocation(of: UnsafePointer<CChar>?.self, capacity: count) { values in
                withUnsafeTemporaryAllocation(of: Int32.self, capacity: 2 * count) { numbers in
                    for (index, parameter) in parameters.enumerated() {
                        values.initializeElement(at: index, to: Self.pointer(to: parameter, in: payload))
                        numbers.initializeElement(at: index, to: Int32(parameter.length ?? 0))
                        numbers.initializeElement(at: count + index, to: 1)
                    }
                    let lengths = numbers.baseAddress
                    return body(
                        Int32(count), values.baseAddress, lengths, lengths.map { UnsafePointer($0 + count) })
                }
            }
        }
    }

    /// A null pointer means NULL to libpq, so an empty value needs some address even if there is no payload at all.
    private static func pointer(
        to parameter: Parameter, in payload: UnsafeRawBufferPointer
    ) -> UnsafePointer<CChar>? {
        guard parameter.length != nil else { return nil }
        let base = payload.baseAddress ?? UnsafeRawPointer(bitPattern: MemoryLayout<Int>.alignment)
        return base.map { ($0 + parameter.start).assumingMemoryBound(to: CChar.self) }
    }
}
