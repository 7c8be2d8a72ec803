import DevelopmentAPNsAPI
import FoundationEssentials

extension SimulatedAPNs {
    /// Applies an instruction from the control port.
    func follow(_ instruction: Instruction) {
        let answer: SimulatedAnswer =
            switch instruction.kind {
            case .reply:
                .reply(
                    status: instruction.status ?? 400, reason: instruction.reason,
                    timestamp: instruction.timestamp.map { Date(timeIntervalSince1970: Double($0) / 1000) })
            case .silence: .silence
            case .late: .late
            case .reset: .reset(code: UInt32(clamping: instruction.code ?? 7))
            case .goAway: .goAway(SimulatedGoAway(last: .previous))
            case .hangUp: .hangUp
            }
        guard let times = instruction.times else { return self.answer(instruction.token, always: answer) }
        for _ in 0..<min(max(0, times), 10_000) { self.answer(instruction.token, next: answer) }
    }
}
