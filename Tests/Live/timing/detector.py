"""Whether two classes of answers can be told apart by when they arrive.

python detector.py    tries the detector on made-up times: without a leak, and with leaks of known kinds

All tests rest on one fact. In every block the order of the classes is drawn at random. So if the class makes no
difference, then of an answer of class A and some of other classes in the same block, put together as a set without looking
at their times, each is as likely as any other to have been the one of A: drawing it is rolling a fair die. Blocks are
short, so a machine that becomes slower meanwhile changes all answers of a set alike.

The more others an answer is compared with, the less of the scatter is theirs. Against one class of as many answers a
difference has a variance of two answers, against k such classes of 1 + 1/k. With late answers it is plainer still: if n
answers are late and all of one class, the probability is 2^-n in couples and (k + 1)^-n in sets.

Such block permutation tests are usually judged by a few thousand random permutations, which can't show that something
has a probability of one in ten million. Here it follows from an inequality. If S is the sum, over all sets, of by how much
the value drawn differs from the set's mean, then S exceeds t with a probability of at most E[exp(λS)] exp(-λt) for any
λ > 0 (Chernoff), and that expectation is known exactly, because each draw is from a known set: no tail is assumed normal,
and outliers can't raise a false alarm. The price is a little power: a level of 1e-8 takes 6.2 standard errors instead of 5.7.
"""

import dataclasses
import math

import numpy

# Of the pooled times of two groups the trimmed mean leaves out this part at either end.
TRIMMED = 0.1
# The distribution functions are compared at these quantiles of the pooled times; the last are for answers a slot late.
QUANTILES = [*(place / 64 for place in range(1, 64)), 0.995, 0.998, 0.999]
# The classifier's histogram has this many bins; it has learned this many times before it is through.
BINS = 24
LESSONS = 20
# λ is sought at these multiples of what is best if few answers are different. Any is right, the best one says most.
MULTIPLES = [0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0, 8.0]
# The classifier's λ mustn't depend on what it sees, so it has several chances.
RATES = [2.0**power for power in range(-6, 3)]


@dataclasses.dataclass
class Finding:
    """One test of two groups of classes."""

    statistic: str
    # Microseconds for the means, distance for Kolmogorov–Smirnov, accuracy of single guesses for the classifier, the difference
    # of the shares for late answers.
    effect: float
    # An upper bound of the probability that chance alone does this.
    probability: float
    # After Holm's correction over the whole family; set by `correct`.
    corrected: float = 1.0


def match(first, second, generator):
    """Puts answers of two groups together at random within each block: one of the first with as many of the second as there
    are for each.

    first, second: microseconds, one row for each block, NaN where an answer is missing; the first has no more columns. Returns
    one row for each set, with the answer of the first group in front, in the order of the blocks. What is left is left out.
    """
    # In random order, because in that of arrival a set would tell who came first; those that are missing at the end.
    first, second = (generator.permuted(times, axis=1) for times in (first, second))
    first, second = (
        numpy.take_along_axis(times, numpy.isnan(times).argsort(axis=1, kind="stable"), axis=1) for times in (first, second))
    columns = first.shape[1]
    others = second.shape[1] // columns
    sets = numpy.concatenate(
        [first[:, :, None], second[:, : columns * others].reshape(len(second), columns, others)], axis=2)
    sets = sets.reshape(-1, 1 + others)
    return sets[~numpy.isnan(sets).any(axis=1)]


def compare(sets, latest):
    """All tests of sets of times. latest: answers that took longer, in microseconds, are late."""
    return [_mean(sets), _trimmed_mean(sets), _kolmogorov_smirnov(sets), _classifier(sets), _late(sets, latest)]


def correct(findings):
    """Holm: bounds the probability of a single false alarm in the whole family."""
    least = 0.0
    for rank, finding in enumerate(sorted(findings, key=lambda each: each.probability)):
        least = max(least, min(1.0, finding.probability * (len(findings) - rank)))
        finding.corrected = least


def _probability(values):
    """Bounds how probable it is that draws from all sets give a sum as far from what is expected as the first columns do."""
    deviations = values - values.mean(axis=1, keepdims=True)
    total, variance = deviations[:, 0].sum(), numpy.square(deviations).mean(axis=1).sum()
    exponent = 0.0
    for multiple in MULTIPLES if variance else []:
        rate = multiple * total / variance
        powers = rate * deviations
        largest = powers.max(axis=1)
        expected = largest + numpy.log(numpy.exp(powers - largest[:, None]).mean(axis=1))
        exponent = max(exponent, rate * total - expected.sum())
    return min(1.0, 2 * math.exp(-exponent))


def _exponent(hits, rates=None):
    """How improbable it is, at least, that draws from all sets give as many hits as the first columns have, or as few: the
    negative logarithm. rates: values of λ, all for more hits than expected.
    """
    members = hits.shape[1]
    # How many sets have so many hits, and the chance that a draw from such a set is one. Where all are, or none, nothing is drawn.
    found = hits.sum(axis=1)
    counts = numpy.bincount(found, minlength=members + 1)[1:-1]
    chances = numpy.arange(1, members) / members
    total = (hits[:, 0] - found / members).sum()
    variance = counts @ (chances * (1 - chances))
    if not variance:
        return 0.0
    rates = numpy.multiply(MULTIPLES, total / variance) if rates is None else numpy.array(rates)
    expected = numpy.log1p(chances * numpy.expm1(rates)[:, None]) - rates[:, None] * chances
    return float((rates * total - expected @ counts).max())


def _mean(sets):
    return Finding("mean", float((sets[:, 0] - sets[:, 1:].mean(axis=1)).mean()), _probability(sets))


def _trimmed_mean(sets):
    # What a draw leaves alone may depend on the data: the bounds, and the middle.
    low, high = numpy.quantile(sets, [TRIMMED, 1 - TRIMMED])
    inside = (sets >= low) & (sets <= high)
    first, others = inside[:, 0], inside[:, 1:]
    effect = sets[:, 0][first].mean() - sets[:, 1:][others].mean() if first.any() and others.any() else high - low
    return Finding("trimmed mean", float(effect), _probability(numpy.where(inside, sets - sets[inside].mean(), 0)))


def _kolmogorov_smirnov(sets):
    pooled = numpy.sort(sets, axis=None)
    distance, exponent = 0.0, 0.0
    for quantile in QUANTILES:
        hits = sets <= pooled[int(quantile * len(pooled))]
        distance = max(distance, abs(hits[:, 0].mean() - hits[:, 1:].mean()))
        exponent = max(exponent, _exponent(hits))
    # As many chances as quantiles.
    return Finding("Kolmogorov–Smirnov", float(distance), min(1.0, 2 * len(QUANTILES) * math.exp(-exponent)))


def _late(sets, latest):
    late = sets > latest
    return Finding(
        "late answers", float(late[:, 0].mean() - late[:, 1:].mean()), min(1.0, 2 * math.exp(-_exponent(late))))


def _classifier(sets):
    """Cross-validated forward in time: guesses who is of the first group from what it learned of the answers before.

    For time alone, likelihoods from a histogram are all that a classifier can learn. As it never guesses what it
    learned from, or what came before that, each set is a fair die if there is nothing to learn, whatever the guesses
    before were. With folds that learn from each other the dice would not be independent.
    """
    guesses = []
    bounds = [len(sets) * lesson // LESSONS for lesson in range(LESSONS + 1)]
    for begin, end in zip(bounds[1:-1], bounds[2:]):
        known = sets[:begin]
        edges = numpy.quantile(known, numpy.arange(1, BINS) / BINS)
        like_first, like_others = (
            (numpy.bincount(numpy.searchsorted(edges, times.ravel()), minlength=BINS) + 1.0) / (times.size + BINS)
            for times in (known[:, 0], known[:, 1:]))
        guesses.append((like_first > like_others)[numpy.searchsorted(edges, sets[begin:end])])
    hits = numpy.concatenate(guesses)
    accuracy = 0.5 + (hits[:, 0].mean() - hits[:, 1:].mean()) / 2
    return Finding("classifier", float(accuracy), min(1.0, len(RATES) * math.exp(-_exponent(hits, RATES))))


# MARK: Trying the detector


# Halfway between the two moments at which the made-up answers come, in microseconds.
LATEST = 75_000


def _made_up(generator, blocks, of_each):
    """Times as a busy proxy gives them: a moment, lateness, a few answers a slot late, and a machine that drifts."""
    shape = (blocks, of_each)
    drift = 200 * numpy.abs(numpy.cumsum(generator.normal(0, 0.1, blocks)))[:, None]
    late = generator.exponential(150, shape) * numpy.exp(generator.normal(0, 0.7, shape))
    return 50_000 + drift + late + 50_000 * (generator.random(shape) < 0.002)


def _leaks(times):
    """Classes that a detector must find, from times that are like those of the others."""
    generator = numpy.random.default_rng(1)
    middle = numpy.median(times)
    return {
        "200 µs later": times + 200,
        "as late in the mean, but less evenly": middle + (times - middle) * generator.choice([0.5, 1.5], times.shape),
        "two in a hundred a slot later": times + 50_000 * (generator.random(times.shape) < 0.02),
    }


def try_detector(seed=1):
    """Returns what is wrong with the detector, or None."""
    generator = numpy.random.default_rng(seed)
    # Without a leak no level may be passed more often than it says; in 200 cases chance makes at most 10 % of 5 %.
    for others in (1, 5):
        passed = {}
        for _ in range(200):
            times = generator.permuted(_made_up(generator, 50, 10 * (1 + others)), axis=1)
            for finding in compare(match(times[:, :10], times[:, 10:], generator), LATEST):
                passed.setdefault(finding.statistic, []).append(finding.probability <= 0.05)
        for statistic, alarms in passed.items():
            if sum(alarms) > 0.1 * len(alarms):
                return (f"without a leak, {statistic} raises {sum(alarms)} of {len(alarms)} false alarms at a level of 5 %, "
                        f"with {others} others in a set")
    for blocks, others in ((250, 1), (125, 5)):
        times = generator.permuted(_made_up(generator, blocks, 20 * (1 + others)), axis=1)
        for leak, first in _leaks(times[:, :20]).items():
            findings = compare(match(first, times[:, 20:], generator), LATEST)
            if min(finding.probability for finding in findings) > 1e-8:
                return f"it doesn't find {first.size:,} answers of which this is true: {leak}"
            if "slot" in leak and findings[-1].probability > 1e-8:
                return f"it doesn't see by late answers that of {first.size:,} this is true: {leak}"
    return None


if __name__ == "__main__":
    complaint = try_detector()
    if complaint:
        raise SystemExit(f"The detector is wrong: {complaint}.")
    print("The detector raises no false alarms and finds what it must.")
