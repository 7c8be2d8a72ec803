"""Random payloads of all lengths become codes that zbar, an independent reader, reads."""

import concurrent.futures
import random

from venue.links import text
from venue.owner import PAGE

AT_ONCE = 100
# Format information of level M with each mask (ISO/IEC 18004, table C.1). A reader corrects three wrong bits of it.
FORMATS = {"101010000010010", "101000100100101", "101111001111100", "101101101001011",
           "100010111111001", "100000011001110", "100111110010111", "100101010100000"}
# Pixels of a module, and modules of the quiet zone.
SCALE, QUIET = 3, 4
MAKE = """list => list.map(([own, host, seed, name, address]) => {
    const link = own ? venueLink(host, seed, name)
        : cwaLink({ seed, description: name, address, start: null, end: null, kind: 4, stay: 120 });
    return [link, qrCode(link).map(row => row.join('')).join(' ')];
})"""


def formats(rows):
    """Both copies of a code's format information."""
    beside = rows[8][:6] + rows[8][7:9] + rows[7][8] + "".join(row[8] for row in rows[5::-1])
    return beside, "".join(row[8] for row in rows[:-8:-1]) + rows[8][-8:]


def picture(rows, file):
    size = len(rows) + 2 * QUIET
    lines = ["0" * len(rows)] * QUIET + rows + ["0" * len(rows)] * QUIET
    body = b"".join(SCALE * b"".join((b"\0" if module == "1" else b"\xff") * SCALE for module in "0" * QUIET + line + "0" * QUIET)
                    for line in lines)
    file.write_bytes(b"P5 %d %d 255\n" % (size * SCALE, size * SCALE) + body)
    return file


def run(venue, report):
    seed = random.SystemRandom().randrange(2**32)
    randomness = random.Random(seed)
    folder = venue.scratch / "codes"
    folder.mkdir()
    sizes, stated, failed, count = set(), set(), [], 0

    def judge(first, made):
        files = [picture(rows.split(), folder / f"{first + index:06}.pgm") for index, (_, rows) in enumerate(made)]
        read = venue.read(*files)
        for file in files:
            file.unlink()
        # Where one isn't read, the others still have to be.
        failed.extend(link for link, _ in made if link not in read)
        return len(read)

    with venue.page(PAGE.as_uri()) as page, concurrent.futures.ThreadPoolExecutor(2) as readers:
        readings = []
        for first in range(0, venue.codes, AT_ONCE):
            wanted = [(randomness.random() < .7, "a" * randomness.randint(1, 60) + ".example.de", list(randomness.randbytes(32)),
                       text(randomness, randomness.randint(4, 100)), text(randomness, randomness.randint(4, 100)))
                      for _ in range(min(AT_ONCE, venue.codes - first))]
            wanted = [(own, host, seed if own else seed[:16], name, address) for own, host, seed, name, address in wanted]
            made = page.evaluate(MAKE, wanted)
            sizes.update((len(rows.split()) - 17) // 4 for _, rows in made)
            stated.update(formats(rows.split()) for _, rows in made)
            count += len(made)
            readings.append(readers.submit(judge, first, made))
        total = sum(reading.result() for reading in readings)
        report.expect(not failed and total == count == venue.codes,
                      f"zbar reads {venue.codes} codes (seed {seed}, versions {min(sizes)} to {max(sizes)}); not {len(failed)}: {failed[:1]}")

        report.expect(stated <= {(format, format) for format in FORMATS}, f"each code states its mask twice, without an error: {stated}")

        # Every version that there is, up to the longest text, and one byte more.
        made = page.evaluate("""() => [...Array(20).keys()].flatMap(index => {
            const most = Math.floor((8 * qrDataCodewords(index + 1) - qrHeaderBits(index + 1)) / 8);
            const link = 'https://a.de#' + 'v'.repeat(most);
            return [link.slice(0, most)];
        }).map(link => [link, qrCode(link).map(row => row.join('')).join(' ')])""")
        versions = [(len(rows.split()) - 17) // 4 for _, rows in made]
        report.expect(versions == list(range(1, 21)), f"the longest text of each version is in this version: {versions}")
        read = venue.read(*[picture(rows.split(), folder / f"version-{index:02}.pgm") for index, (_, rows) in enumerate(made)])
        report.expect(read == [link for link, _ in made], "zbar reads the fullest code of each version")
        refused = page.evaluate("() => { try { qrCode('v'.repeat(667)); return '' } catch (error) { return error.name } }")
        report.expect(refused == "RangeError", "a longer text is refused")

        # Control: with a mask that its format doesn't name, nothing is read.
        link, rows = made[9]
        spoilt = ["".join(str(int(module) ^ (9 <= x < 45 and 9 <= y < 45 and (x + y) % 2)) for x, module in enumerate(row))
                  for y, row in enumerate(rows.split())]
        report.expect(venue.read(picture(spoilt, folder / "spoilt.pgm")) != [link], "control: a spoilt code isn't read")
