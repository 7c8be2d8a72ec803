"""SIGTERM under load, as often as wanted, each at another moment: what hostile.sh drain does six times."""

import collections
import signal

from check import Report, Suite
from drain import control, experiment

# Seconds: sometimes before the first answers have left, which takes half a second.
LOAD = 0.2, 1.5
# What `experiment` says of requests that came too late; other programs on the machine cause it now and then, a proxy that drains
# wrongly each time.
LATE = "are answered with 503"


def main():
    suite = Suite(__doc__.splitlines()[0], lambda parser: parser.add_argument("--drains", type=int, required=True))
    report = Report("drains")
    contexts = suite.app_context(), suite.app_context(["h2"])
    control(report, suite, contexts)
    totals, late = collections.Counter(), 0
    for turn in range(1, suite.arguments.drains + 1):
        objections, numbers = experiment(suite, contexts, signal.SIGTERM, LOAD)
        # A service that gets no processor time answers too late: then the proxy's answer is a 503, also without a drain.
        late += any(LATE in text for text in objections)
        for text in objections:
            report.require(LATE in text, f"drain {turn}: {text}")
        totals.update(numbers)
        if turn % 20 == 0 or turn == suite.arguments.drains:
            report.say(
                f"{turn} of {suite.arguments.drains} drains: {totals['answered']} requests answered, {totals['503']} of them "
                f"with 503; {totals['not taken']} not taken; {totals['seconds'] / turn:.2f} seconds each on average"
            )
    report.say(f"in {late} drains some answers were too late")
    report.require(late <= 2 + suite.arguments.drains // 20, f"in {late} drains requests that a service got are answered with 503")
    report.require(totals["answered"] > 50 * suite.arguments.drains, "hardly any load")
    report.end()


if __name__ == "__main__":
    main()
