"""Whether two classes of answers can be told apart by when they arrive.

python detector.py    tries the detector on made-up times: without a leak, and with leaks of known kinds

All tests rest on one fact. In every block the order of the classes is drawn at random. So if the class makes no
difference, then of any answer of class A and any of class B in the same block, put together without looking at their
times, each is as likely as the other to have been the one of A: exchanging the two is tossing a fair coin. Blocks are
short, so a machine that becomes slower meanwhile changes both answers of a couple alike.

Such block permutation tests are usually judged by a few thousand random permutations, which can't show that something
has a probability of one in ten million. Here it follows from an inequality. A sum of terms d with fair random signs
exceeds t in size with a probability of at most 2 exp(-t² / (2 Σd²)) (Hoeffding), whatever the terms are and however
many: no tail is assumed normal, and outliers can't raise a false alarm. The price is a little power: a level of 1e-8
takes 6.2 standard errors instead of 5.7.
"""

import dataclasses
import math

import numpy

# Of the pooled times of two classes the trimmed mean leaves out this part at either end.
TRIMMED = 0.1
# The distribution functions are compared at these quantiles of the pooled times; the last are for answers a slot late.
QUANTILES = [*(place / 64 for place in range(1, 64)), 0.995, 0.998, 0.999]
# The classifier's histogram has this many bins; it has learned this many times before it is through.
BINS = 24
LESSONS = 20


@dataclasses.dataclass
class Finding:
    """One test of one couple of classes."""

    statistic: str
    # Microseconds for the means, distance for Kolmogorov–Smirnov, accuracy of single guesses for the classifier, the difference
    # of the shares for late answers.
    effect: float
    # An upper bound of the probability that chance alone does this.
    probability: float
    # After Holm's correction over the whole family; set by `correct`.
    corrected: float = 1.0


def couple(first, second, generator):
    """Couples the answers of two classes at random within each block.

    first, second: microseconds, one row for each block, NaN where an answer is missing. Returns two rows of the same
    length, in the order of the blocks. If one has more answers in a block, some of them, drawn at random, are left out.
    """
    # Both are put in random order: in the order of arrival a couple would tell who came first.
    columns = min(first.shape[1], second.shape[1])
    a, b = (generator.permuted(times, axis=1)[:, :columns].ravel() for times in (first, second))
    present = ~(numpy.isnan(a) | numpy.isnan(b))
    return a[present], b[present]


def compare(a, b, latest):
    """All tests of coupled times. latest: answers that took longer, in microseconds, are late."""
    return [_mean(a, b), _trimmed_mean(a, b), _kolmogorov_smirnov(a, b), _classifier(a, b), _late(a, b, latest)]


def correct(findings):
    """Holm: bounds the probability of a single false alarm in the whole family."""
    least = 0.0
    for rank, finding in enumerate(sorted(findings, key=lambda each: each.probability)):
        least = max(least, min(1.0, finding.probability * (len(findings) - rank)))
        finding.corrected = least


def _hoeffding(terms):
    """Bounds how probable it is that random signs make as large a sum as this."""
    squares = numpy.square(terms).sum(axis=-1)
    exponents = numpy.square(terms.sum(axis=-1)) / (2 * numpy.maximum(squares, 1e-300))
    return numpy.minimum(1.0, 2 * numpy.exp(-exponents))


def _mean(a, b):
    difference = a - b
    return Finding("mean", float(difference.mean()), float(_hoeffding(difference)))


def _trimmed_mean(a, b):
    # What exchanging the two of a couple leaves alone may depend on the data: the bounds, and the middle.
    pooled = numpy.concatenate([a, b])
    low, high = numpy.quantile(pooled, [TRIMMED, 1 - TRIMMED])
    middle = pooled[(pooled >= low) & (pooled <= high)].mean()
    inside_a, inside_b = ((times >= low) & (times <= high) for times in (a, b))
    terms = numpy.where(inside_a, a - middle, 0) - numpy.where(inside_b, b - middle, 0)
    effect = a[inside_a].mean() - b[inside_b].mean() if inside_a.any() and inside_b.any() else high - low
    return Finding("trimmed mean", float(effect), float(_hoeffding(terms)))


def _kolmogorov_smirnov(a, b):
    pooled = numpy.sort(numpy.concatenate([a, b]))
    distance, exponent = 0.0, 0.0
    for quantile in QUANTILES:
        threshold = pooled[int(quantile * len(pooled))]
        terms = (a <= threshold).astype(numpy.int8) - (b <= threshold)
        total, squares = int(terms.sum(dtype=numpy.int64)), int(numpy.count_nonzero(terms))
        distance = max(distance, abs(total) / len(a))
        exponent = max(exponent, total**2 / (2 * max(1, squares)))
    # As many chances as quantiles.
    probability = min(1.0, 2 * len(QUANTILES) * math.exp(-exponent))
    return Finding("Kolmogorov–Smirnov", distance, probability)


def _late(a, b, latest):
    """The sign test, which is exact: of the couples of which one answer is late, as many have it on either side."""
    first = int(numpy.count_nonzero((a > latest) & (b <= latest)))
    second = int(numpy.count_nonzero((b > latest) & (a <= latest)))
    probability = min(1.0, 2 * _binomial_tail(max(first, second), first + second))
    return Finding("late answers", (first - second) / max(1, len(a)), probability)


def _classifier(a, b):
    """Cross-validated forward in time: guesses each class from what it learned of the answers before.

    For time alone, likelihoods from a histogram are all that a classifier can learn. As it never guesses what it
    learned from, or what came before that, each couple is a fair coin if there is nothing to learn, whatever the guesses
    before were. With folds that learn from each other the coins would not be independent.
    """
    right = wrong = total = 0
    size = len(a)
    bounds = [size * lesson // LESSONS for lesson in range(LESSONS + 1)]
    for begin, end in zip(bounds[1:-1], bounds[2:]):
        edges = numpy.quantile(numpy.concatenate([a[:begin], b[:begin]]), numpy.arange(1, BINS) / BINS)
        like_a, like_b = (
            numpy.bincount(numpy.searchsorted(edges, times[:begin]), minlength=BINS) + 1.0 for times in (a, b))
        guess = numpy.sign(like_a - like_b)
        # 2 where both are guessed rightly, -2 where both are guessed wrong.
        score = guess[numpy.searchsorted(edges, a[begin:end])] - guess[numpy.searchsorted(edges, b[begin:end])]
        total += float(score.sum())
        right += int((score > 0).sum())
        wrong += int((score < 0).sum())
    accuracy = 0.5 + total / (4 * max(1, size - bounds[1]))
    return Finding("classifier", accuracy, _binomial_tail(right, right + wrong))


def _binomial_tail(successes, tosses):
    """How probable it is that so many tosses of a fair coin give at least so many heads."""
    if tosses == 0:
        return 1.0
    counts = range(successes, tosses + 1)
    logarithms = numpy.array([
        math.lgamma(tosses + 1) - math.lgamma(count + 1) - math.lgamma(tosses - count + 1) for count in counts])
    return float(min(1.0, numpy.exp(logarithms - tosses * math.log(2)).sum()))


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
    """Second classes that a detector must find, from times that are like those of the first."""
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
    # Without a leak no level may be passed more often than it says; in 400 cases chance makes at most 8.5 % of 5 %.
    passed = {}
    for _ in range(400):
        times = generator.permuted(_made_up(generator, 50, 20), axis=1)
        for finding in compare(*couple(times[:, :10], times[:, 10:], generator), LATEST):
            passed.setdefault(finding.statistic, []).append(finding.probability <= 0.05)
    for statistic, alarms in passed.items():
        if sum(alarms) > 0.085 * len(alarms):
            return f"without a leak, {statistic} raises {sum(alarms)} of {len(alarms)} false alarms at a level of 5 %"
    times = generator.permuted(_made_up(generator, 250, 40), axis=1)
    for leak, second in _leaks(times[:, 20:]).items():
        findings = compare(*couple(times[:, :20], second, generator), LATEST)
        if min(finding.probability for finding in findings) > 1e-8:
            return f"it doesn't find 5,000 answers of which this is true: {leak}"
        if "slot" in leak and findings[-1].probability > 1e-8:
            return f"it doesn't see by late answers that of 5,000 this is true: {leak}"
    return None


if __name__ == "__main__":
    complaint = try_detector()
    if complaint:
        raise SystemExit(f"The detector is wrong: {complaint}.")
    print("The detector raises no false alarms and finds what it must.")
