import Running

/// No connection to APNs could be made, and nobody was woken.
struct APNsUnreachable: OperatorProblem {
    let description = "APNs can't be reached from here; the page is sent again."
}

/// The APNs client returned no outcomes in time.
struct UnresponsiveClient: OperatorProblem {
    let description = "The APNs client doesn't respond; the page is sent again."
}
