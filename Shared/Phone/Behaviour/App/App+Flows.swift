import Credentials
import FoundationEssentials

extension App {
    /// For how many reports this phone's uploads and their dummies have room: each visit can touch two days, and up to three random ones
    /// are added.
    var room: Int { 2 * diary.checkIns.count + VisitSharing.maximumPadding }

    /// When the next dummy flow comes by itself.
    mutating func planDummy(after now: Date, using random: inout some RandomNumberGenerator) {
        let next = setup.dummies.next(after: now, lastTest: lastTest, using: &random)
        nextDummy = [nextDummy.flatMap { $0 > now ? $0 : nil }, next].compactMap(\.self).min()
    }

    // MARK: Sending

    /// Sends the flow's next request if it is time, or begins the flow that is due.
    mutating func continueFlow(at now: Date, using random: inout some RandomNumberGenerator) {
        guard !open.contains(where: \.request.kind.isOfFlow) else { return }
        if flow == nil, mayWork(at: now) { beginFlow(at: now, using: &random) }
        guard let current = flow, now >= current.due, let step = current.next else { return }
        let kind = kind(of: step, in: current, at: now)
        if case .result = kind, let test = current.test { change(test) { $0.ask(at: now) } }
        ask(kind, at: now)
        flow?.send(at: now, gap: setup.dummies.gap(using: &random))
    }

    private mutating func beginFlow(at now: Date, using random: inout some RandomNumberGenerator) {
        let opening = setup.dummies.opening
        let asking = tests.filter { $0.nextQuestion.map { $0 <= now } == true }
        if let test = asking.first(where: { $0.registration != nil }) {
            flow = Flow(.registration(test.id), opening: opening, at: now)
        } else if let test = tests.first(where: { $0.nextUpload.map { $0 <= now } == true }) {
            flow = Flow(.upload(test.id), opening: opening, at: now)
        } else if let test = asking.first {
            change(test.id) { $0.ask(at: now) }
            flow = Flow(.result(test.id), opening: opening, at: now)
        } else if let dummy = nextDummy, dummy <= now {
            nextDummy = nil
            if repetitions == 0 { repetitions = .random(in: setup.dummies.repetitions, using: &random) }
            flow = Flow(.dummy, opening: setup.dummies.firstStep(using: &random), at: now)
        }
    }

    /// The request of a step: the real one if the flow has something to ask at this step, otherwise a dummy.
    private func kind(of step: FlowStep, in flow: Flow, at now: Date) -> Request.Kind {
        let dummy = Request.Kind.pretend(step, room: room)
        guard flow.isReal, let test = tests.first(where: { $0.id == flow.test }) else { return dummy }
        switch step {
        case .registration: return test.registration.map { .register($0.proof, $0.attempt) } ?? dummy
        case .result: return test.awaiting.map { .result($0) } ?? dummy
        case .tan:
            guard let plan = test.plan, plan.attempt == nil, plan.due(at: now) != nil else { return dummy }
            return .tan(plan.token)
        case .upload:
            guard let plan = test.plan, let attempt = plan.attempt else { return dummy }
            let agreed = test.agreed
            return .upload(
                Upload(
                    tan: attempt.tan, days: attempt.days, onset: agreed.onset, answeredOn: plan.answeredOn,
                    checkIns: agreed.checkIns, room: room))
        }
    }

    // MARK: Answers

    /// Takes the answer to one of the flow's requests. Whatever it is, the flow has three requests.
    mutating func receiveFlow(
        _ answer: Answer, to request: Request.Kind, at now: Date, using random: inout some RandomNumberGenerator
    ) {
        guard let flow else { return }
        if let test = flow.test { take(answer, to: request, for: test, at: now, using: &random) }
        guard flow.next == nil else { return }
        self.flow = nil
        switch flow.purpose {
        case .upload(let test): change(test) { $0.attempted(at: now, using: &random) }
        case .dummy:
            repetitions -= 1
            if repetitions > 0 {
                nextDummy = now + setup.dummies.rest(using: &random)
            } else {
                planDummy(after: now, using: &random)
            }
        case .registration, .result: break
        }
    }

    private mutating func take(
        _ answer: Answer, to request: Request.Kind, for test: UInt16, at now: Date,
        using random: inout some RandomNumberGenerator
    ) {
        switch (request, answer) {
        case (.register, .registered(let token)):
            change(test) { $0.register(token, at: now) }
            show(test, at: now)
        case (.register, .refused), (.result, .refused):
            change(test) { $0.refuse() }
            ask(.show(.codeRefused(test: test)), at: now)
        case (.register, _): change(test) { $0.registerAgain(after: now, using: &random) }
        case (.result, .result(let result)):
            change(test) { $0.take(result) }
            show(test, at: now)
        case (.tan, .tan(let tan)):
            change(test) { test in
                test.change { plan in
                    // The day may have ended since it was asked for.
                    if let days = plan.due(at: now) { plan.begin(days, with: tan) }
                }
            }
        case (.tan, .refused): change(test) { $0.change { $0.end() } }
        case (.upload, .uploaded(let checkIns)):
            change(test) { test in
                test.change { $0.finish() }
                test.forgetCheckIns()
            }
            diary.markShared(checkIns)
        case (.upload, .refused): change(test) { $0.change { $0.dropTAN() } }
        default: break
        }
    }

    /// Tells the user a result that has come.
    private mutating func show(_ test: UInt16, at now: Date) {
        guard let result = tests.first(where: { $0.id == test })?.result, !result.isPending else { return }
        ask(.show(.result(test: test, result)), at: now)
    }
}
