"""Draws what `perf script -F comm,pid,tid,ip,sym,dso` prints as a flame graph: SVG without scripts, each frame with a title.

A frame is as wide as its share of the samples and stands on its caller. Its colour tells its kind; the heading tells each kind's
share of the samples by their innermost frames, and below whose they are. The only argument is the graph's own title.
"""
import collections
import html
import os
import pathlib
import re
import subprocess
import sys

WIDTH, ROW, CHARACTER = 1200, 15, 6.05
LARGEST = 80_000
KINDS = {"k": ("#f94", "kernel"), "m": ("#f77", "memory"), "s": ("#c9f", "Swift runtime"), "o": ("#fd6", "everything else")}
# The whole of names that say nothing about what is done: how threads begin and tasks go on.
PLUMBING = re.compile(
    r"start_thread|clone3?|_start|__libc_start_(main|call_main).*|entry_SYSCALL_64.*|do_syscall_64|x64_sys_call|\[unknown\]|thunk for .*"
    r"|_dispatch_\w+|swift_job_run.*|swift::runJob.*")
MEMORY = re.compile(r"(__libc_|__GI___libc_|_int_|__)?(malloc|calloc|realloc|free|memalign|posix_memalign|cfree)\w*|malloc_.*"
                    r"|(tcache|arena|unlink_chunk|sysmalloc|systrim)\w*|swift_(slowAlloc|slowDealloc|allocObject|dealloc|deallocClass)\w*"
                    r"|_?swift_(allocObject|deallocClassInstance)_?\w*|mem(set|cpy|move)\w*|_*mem(set|cpy|move)_\w+")
RUNTIME = re.compile(r"_*swift(_|::)|(withStatusRecordLock|tryCast|getCache)$")
# The libraries whose files' or functions' names begin so; a library in Swift that isn't here goes by its module's name.
LIBRARIES = [(re.compile(names), library) for names, library in (
    (r"libssl|libcrypto", "OpenSSL"), (r"libnghttp2", "nghttp2"), (r"libcurl", "libcurl"),
    (r"_?Foundation", "Foundation"), (r"libpq", "libpq"), (r"libz\.", "zlib"))]
# The project's own modules have folders of their names.
MODULES = {path.name for pattern in ("Services/*", "Shared/*", "Shared/*/*", "Tests/*")
           for path in pathlib.Path(__file__).parents[2].glob(pattern) if path.is_dir()}
# What specialisation, closures and partial application put before the name of the function in which they are.
WRAPPING = re.compile(
    r"^(\(\d+\) \w+ (resume )?partial function for |specialized |merged |generic |static |partial apply( forwarder)? for "
    r"|protocol witness for |reabstraction thunk helper .*|(implicit )?closure #\d+ in |(dispatch|override|vtable) thunk (of|for) "
    r"|default argument \d+ of |outlined .*? of |function signature specialization .*? of |@\w+ )")


def demangled(symbols):
    """The readable name of each symbol."""
    command, lines = ["swift", "demangle", "--simplified"], "\n".join(symbols)
    names = subprocess.run(command, input=lines, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    return {symbol: short(name) for symbol, name in zip(symbols, names, strict=True)}


def short(name):
    """A name without generic arguments, closures, and whose conformance it is."""
    while (shorter := re.sub(r"<[^<>]*>", "", WRAPPING.sub("", name))) != name:
        name = shorter
    name = re.sub(r" in conformance .*| where .*|\[clone .*|^\(extension in \w+\):", "", name)
    return re.sub(r"\)( async)?( throws(\(.*?\))?)?( -> .*)$", ")", name).strip()


def stacks(lines):
    """The samples, each as its process, its thread, and then (symbol, program) from the innermost frame outwards."""
    sample = None
    for line in lines:
        if not line.strip():
            # An empty line ends each sample, the last one too.
            yield sample
            sample = None
        elif sample is None:
            thread, process = re.match(r"(.*?)\s+(\d+)/\d+", line.strip()).groups()
            sample = (process, re.sub(r"[-#\d]+$", "", thread), [])
        else:
            symbol, program = re.match(r"\s*[0-9a-f]+ (.*) \((.*)\)$", line.rstrip()).groups()
            sample[2].append((symbol.split("+0x")[0], program))


def owner(frames):
    """Whose a sample is: the kernel's, or that of the innermost function but for those that anybody calls, as the Swift runtime's."""
    if frames and frames[0][1].startswith("[kernel"):
        return "kernel"
    for symbol, program in frames:
        # What has no module's name here is the standard library's.
        swift = re.match(r"\$s(\d+)(\w+)", symbol)
        name = swift[2][:int(swift[1])] if swift else "" if symbol.startswith("$s") else symbol
        if swift and name in MODULES:
            return "Vigil"
        for names, library in LIBRARIES:
            if names.match(name) or names.match(os.path.basename(program)):
                return library
        if swift:
            return name
    return "others"


def tree(samples):
    """Merged stacks: a node is [samples, kind, children by name], the root first. And how many samples are of each kind."""
    names = demangled(sorted({symbol for _, _, frames in samples for symbol, _ in frames}))
    programs = {}
    for process, _, frames in samples:
        for _, program in frames:
            if program.startswith("/") and ".so" not in os.path.basename(program):
                programs[process] = os.path.basename(program)
    root, innermost = [0, "o", {}], dict.fromkeys(KINDS, 0)
    for process, thread, frames in samples:
        path = [(programs.get(process, thread), "o"), (thread, "o")]
        for symbol, program in reversed(frames):
            name = names[symbol]
            kind = "k" if program.startswith("[kernel") else "m" if MEMORY.fullmatch(name) else (
                "s" if RUNTIME.match(name) else "o")
            if name and not PLUMBING.fullmatch(name) and path[-1][0] != name:
                path.append((name, kind))
        innermost[path[-1][1]] += 1
        root[0] += 1
        node = root
        for name, kind in path:
            node = node[2].setdefault(name, [0, kind, {}])
            node[0] += 1
    return root, innermost


def drawn(root, innermost, owners, title, share):
    """The graph with those frames that have at least a share of the samples."""
    frames, total = [], root[0]

    def lay(node, left, level):
        for name, child in sorted(node[2].items()):
            if child[0] >= share * total:
                frames.append((name, child[1], left, child[0], level))
                lay(child, left, level + 1)
            left += child[0]

    lay(root, 0, 0)
    height = (max(frame[4] for frame in frames) + 1) * ROW + 60
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="monospace" font-size="10">',
             "<style>rect{height:14px}" + "".join(f".{kind}{{fill:{KINDS[kind][0]}}}" for kind in KINDS) + "</style>",
             f'<rect width="100%" style="height:100%" fill="#fff"/><text x="4" y="14" font-size="12">{html.escape(title)}</text>']
    for place, (kind, (_, name)) in enumerate(KINDS.items()):
        lines.append(f'<rect class="{kind}" x="{4 + 200 * place}" y="20" width="190"/><text x="{8 + 200 * place}" y="30">{name} '
                     f"{innermost[kind] * 100 / total:.0f} %</text>")
    whose = ", ".join(f"{name} {count * 100 / total:.0f} %" for name, count in owners.most_common() if count * 100 >= 2 * total)
    lines.append(f'<text x="4" y="46">{html.escape(whose)}</text>')
    for name, kind, left, count, level in frames:
        x, width, y = left * WIDTH / total, count * WIDTH / total, height - (level + 1) * ROW - 4
        room = int(width / CHARACTER)
        text = "" if room < 4 else name if len(name) <= room else name[:room - 1] + "…"
        lines.append(f'<g><title>{html.escape(name[:90], False)}: {count * 100 / total:.1f} %</title>'
                     f'<rect class="{kind}" x="{x:.1f}" y="{y}" width="{max(width - 0.4, 0.4):.1f}"/>'
                     + (f'<text x="{x + 2:.1f}" y="{y + 10}">{html.escape(text, False)}</text>' if text else "") + "</g>")
    return "\n".join([*lines, "</svg>", ""])


samples = list(stacks(sys.stdin))
share, (merged, innermost), owners = 0.003, tree(samples), collections.Counter(owner(frames) for _, _, frames in samples)
while len((graph := drawn(merged, innermost, owners, sys.argv[1], share)).encode()) > LARGEST:
    share *= 1.2
sys.stdout.write(graph)
