import Running

/// Another process has taken over the wave because this one was believed dead. This process must change nothing more.
struct LostLead: OperatorProblem {
    let description = "Another push-dispatcher has taken over the wave."
}

/// No connection to APNs could be made, and nobody was woken.
struct APNsUnreachable: OperatorProblem {
    let description = "APNs can't be reached from here; the page is sent again."
}

/// The APNs client returned no outcomes in time.
struct UnresponsiveClient: OperatorProblem {
    let description = "The APNs client doesn't respond; the page is sent again."
}
