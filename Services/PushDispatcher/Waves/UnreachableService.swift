import Running

/// No connection to APNs could be made, by which nobody was woken.
struct UnreachableService: OperatorProblem {
    let description = "APNs can't be reached from here; the page is sent again."
}
