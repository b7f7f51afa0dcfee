#!/usr/bin/env python3
"""Measures how well the scout finds the files that a change touches.

A case is a released package and a change request in plain words. The package
as it was before the change is fetched by the ordinary client of its registry
(pip, npm or cargo), unpacked, committed to a new git repository, and given to

    fore plan REQUEST --model scout --plan-file OUT

with an empty HOME. The files named under "Files likely to change" are then
compared, in their order, with the files that the next release changed.

    python3 measure.py --fore PATH --cache FOLDER [--cases FILE] [--half NAME] [--show N]
    python3 measure.py --fore PATH --large 10000

One line a case: the rank of the first true file ("-": not named), how many
files were named, seconds, id. At the end the sums, by registry and of all.
A cases file has one JSON object a line: id, half (given, tuning, held-out),
registry (pypi, npm, crates), package, from, to, request, truth (paths below the
package root). With --large a repository of that many made-up files is asked about
instead, five times, and only the seconds are told. Only given and tuning cases may be looked at to improve the
ranking; held-out ones are only counted.
"""

import argparse
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import tarfile
import tempfile
import time
from pathlib import Path

SECTION = "\n## Files likely to change\n"
ITEM = re.compile(r"^\d+\. (`+) ?(.+?) ?\1:", re.MULTILINE)


def call(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, **more)
    if done.returncode:
        raise RuntimeError(f"{command[0]} {command[1]}: {(done.stderr or done.stdout).strip()[-300:]}")
    return done.stdout


def fetch_pypi(package, version, folder):
    """The source archive by pip's own finder: `pip download` would run the package's build code."""
    from pip._internal.commands import create_command
    from pip._vendor.packaging.version import Version

    command = create_command("download")
    options, _ = command.parse_args(["--no-deps", package])
    with command.main_context():
        session = command.get_default_session(options)
        finder = command._build_package_finder(options, session)
        finder.format_control.disallow_binaries()
        links = [found.link for found in finder.find_all_candidates(package) if found.version == Version(version)]
        link = next(link for link in links if link.filename.endswith(".tar.gz"))
        answer = session.get(link.url_without_fragment)
        answer.raise_for_status()
    (folder / link.filename).write_bytes(answer.content)
    return folder / link.filename


def fetch_npm(package, version, folder):
    where = ["--silent", "--ignore-scripts", "--pack-destination", str(folder)]
    return folder / call(["npm", "pack", *where, f"{package}@{version}"]).split()[-1]


def fetch_crates(package, version, folder):
    """`cargo info` leaves the crate's archive in the cache of cargo's home."""
    home = folder / "cargo-home"
    call(["cargo", "info", f"{package}@{version}"], cwd=folder, env={**os.environ, "CARGO_HOME": str(home)})
    return next(home.glob(f"registry/cache/*/{package}-{version}.crate"))


FETCH = {"pypi": fetch_pypi, "npm": fetch_npm, "crates": fetch_crates}


def project(case, cache):
    """The folder of the case's project as a repository with one commit; made once."""
    ready = cache / "projects" / f"{case['registry']}-{case['package']}-{case['from']}".replace("/", "_")
    if ready.is_dir():
        return ready
    ready.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as temporary:
        folder = Path(temporary)
        archive = FETCH[case["registry"]](case["package"], case["from"], folder)
        with tarfile.open(archive) as packed:
            packed.extractall(folder / "out", filter="data")
        [top] = [path for path in (folder / "out").iterdir() if path.is_dir()]
        git = ["git", "-C", str(top), "-c", "user.name=bench", "-c", "user.email=bench@example.invalid"]
        call([*git, "init", "--quiet"])
        call([*git, "add", "--all", "--force"])
        call([*git, "commit", "--quiet", "--no-verify", "--no-gpg-sign", "-m", f"Version {case['from']}"])
        shutil.move(top, ready)
    return ready


def ask(fore, case, folder):
    """The files that the scout names, and the seconds it took."""
    with tempfile.TemporaryDirectory() as home:
        out = Path(home) / "plan.md"
        env = {"HOME": home, "PATH": os.environ.get("PATH", ""), "LANG": "C.UTF-8"}
        command = [str(fore), "plan", case["request"], "--model", "scout", "--plan-file", str(out)]
        start = time.monotonic()
        call(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, timeout=300)
        seconds = time.monotonic() - start
        part = out.read_text(encoding="utf-8").partition(SECTION)[2].split("\n## ", 1)[0]
    return [found[2] for found in ITEM.finditer(part)], seconds


def large(fore, count):
    """Seconds for a request in a repository of so many files, of usual lengths, in three languages."""
    chance = random.Random(count)
    telling = "cart order price user session token cache route query parse render index build store client".split()
    # As in real sources, most words are none of the request.
    words = telling + ["".join(chance.choices("abcdefghiklmnoprstuvwxyz", k=chance.randint(3, 10))) for _ in range(500)]
    shapes = {
        "py": "def {0}_{1}(value):\n    # the {2} of a {0}\n    return {2}_{1}(value)\n\n",
        "ts": "export function {0}{3}(value: number) {{\n  // the {2} of a {0}\n  return {2}{3}(value);\n}}\n\n",
        "rs": "pub fn {0}_{1}(value: u64) -> u64 {{\n    // the {2} of a {0}\n    {2}_{1}(value)\n}}\n\n",
    }
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary)
        for number in range(count):
            ending = chance.choice(list(shapes))
            path = root / "src" / chance.choice(words) / f"part{number % 97}" / f"{chance.choice(words)}_{number}.{ending}"
            path.parent.mkdir(parents=True, exist_ok=True)
            texts = []
            for _ in range(chance.randint(5, 120)):
                one, two, three = chance.sample(words, 3)
                texts.append(shapes[ending].format(one, two, three, two.title()))
            path.write_text("".join(texts), encoding="utf-8")
        git = ["git", "-C", str(root), "-c", "user.name=bench", "-c", "user.email=bench@example.invalid"]
        call([*git, "init", "--quiet"])
        # Housekeeping in the background would be measured, too.
        call([*git, "config", "gc.auto", "0"])
        call([*git, "config", "maintenance.auto", "false"])
        call([*git, "add", "--all"])
        call([*git, "commit", "--quiet", "--no-verify", "--no-gpg-sign", "-m", "All"])
        bytes_held = sum(path.stat().st_size for path in root.glob("src/**/*.*"))
        asked = {"request": "The session token is kept in the cache although `parse_token` rejects it; drop it there."}
        times = [ask(fore, asked, root)[1] for _ in range(5)]
    print(f"{count} files, {bytes_held / 1e6:.0f} MB: median {statistics.median(times):.2f} s, most {max(times):.2f} s")


def sums(title, ranks):
    hits = [sum(1 for rank in ranks if 0 < rank <= most) for most in (1, 3, 5, 999)]
    shares = [f"{name} {hit} ({100 * hit / len(ranks):.0f} %)" for name, hit in zip(("top1", "top3", "top5", "named"), hits)]
    print(f"{title}: cases {len(ranks)}, {', '.join(shares)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--fore", default="fore", help="the program to measure")
    parser.add_argument("--cache", type=Path, help="folder for the fetched packages")
    parser.add_argument("--large", type=int, help="instead: the time in a made-up repository of this many files")
    parser.add_argument("--cases", type=Path, default=Path(__file__).with_name("cases.jsonl"))
    parser.add_argument("--half", help="only the cases of this half: given, tuning or held-out")
    parser.add_argument("--show", type=int, default=0, help="for cases not first: show this many of the named files")
    options = parser.parse_args()
    fore = Path(shutil.which(options.fore) or options.fore).resolve()
    if options.large:
        large(fore, options.large)
        return 0
    if not options.cache:
        parser.error("--cache is needed, for the fetched packages")
    cache = options.cache.resolve()
    cases = [json.loads(line) for line in options.cases.read_text(encoding="utf-8").splitlines() if line.strip()]
    cases = [case for case in cases if options.half in (None, case.get("half"))]
    ranks, times, failed = {}, [], 0
    for case in cases:
        try:
            files, seconds = ask(fore, case, project(case, cache))
        except Exception as error:  # noqa: BLE001 - one bad case must not end the run
            failed += 1
            print(f"failed  {case['id']}: {error}", flush=True)
            continue
        rank = next((place for place, path in enumerate(files, 1) if path in case["truth"]), 0)
        ranks.setdefault(case["registry"], []).append(rank)
        times.append(seconds)
        print(f"{rank or '-':>4} of {len(files):>2}  {seconds:5.2f} s  {case['id']}", flush=True)
        if options.show and rank != 1:
            print(f"        asked {case['request']}\n        truth {case['truth']}\n        named {files[: options.show]}")
    for registry, found in sorted(ranks.items()):
        sums(registry, found)
    if times:
        sums("all", sum(ranks.values(), []))
        print(f"median time {statistics.median(times):.2f} s; failed {failed}")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
