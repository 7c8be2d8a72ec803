import DevelopmentGatewayAPI

/// What goes wrong next, one fault after another.
struct Faults: Sendable {
    private var waiting: [GatewayBehaviour] = []
    private static let most = 1_000

    /// Adds a fault behind the others; `none` forgets them all.
    /// - Returns: false if no operation has such a fault, or if there are too many.
    mutating func add(_ behaviour: GatewayBehaviour) -> Bool {
        guard behaviour.fault != .none else {
            waiting = []
            return true
        }
        guard behaviour.operation.map({ behaviour.fault.operations.contains($0) }) ?? true, behaviour.times ?? 1 > 0,
            waiting.count < Self.most
        else { return false }
        waiting.append(behaviour)
        return true
    }

    /// What goes wrong with a request.
    mutating func next(for operation: GatewayBehaviour.Operation) -> GatewayBehaviour.Fault {
        let place = waiting.firstIndex { behaviour in
            behaviour.fault.operations.contains(operation) && behaviour.operation ?? operation == operation
        }
        guard let place else { return .none }
        let behaviour = waiting[place]
        if let times = behaviour.times {
            if times > 1 {
                waiting[place] = GatewayBehaviour(behaviour.fault, behaviour.operation, times: times - 1)
            } else {
                waiting.remove(at: place)
            }
        }
        return behaviour.fault
    }
}

extension GatewayBehaviour.Fault {
    /// The operations that it can concern.
    var operations: Set<GatewayBehaviour.Operation> {
        switch self {
        case .none: []
        case .unavailable, .tooManyRequests, .page, .refused, .refusedSilently, .addedFields, .lostAnswer, .hangUp,
            .slow, .endless:
            Set(GatewayBehaviour.Operation.allCases)
        case .partial, .gatewayTimeout: [.upload]
        case .refusedCallback: [.subscription]
        case .endlessChain, .loop, .otherTag, .interleaved, .foreignOrigin, .ownKeys: [.download]
        case .wrongAmount, .otherSignature, .untrusted, .withoutCertificates, .withoutAudit: [.audit]
        }
    }
}
