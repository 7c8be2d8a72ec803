/// One thing a service can't work without, such as its database.
package struct ReadinessCheck: Sendable {
    /// The name in the answer of `/ready`.
    package let name: String
    private let check: @Sendable () async -> Bool

    /// - Parameter check: returns whether the dependency works; no answer within 2 s counts as false.
    package init(_ name: String, check: @escaping @Sendable () async -> Bool) {
        self.name = name
        self.check = check
    }

    /// Runs the check, for at most 2 s.
    package func passes() async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask { await check() }
            group.addTask {
                try? await Task.sleep(for: .seconds(2))
                return false
            }
            let first = await group.next() ?? false
            group.cancelAll()
            return first
        }
    }
}
