import Running

/// The client for APNs gave no outcomes, in whatever time it had.
struct SilentClient: OperatorProblem {
    let description = "The client for APNs has fallen silent; its page is sent again."
}
