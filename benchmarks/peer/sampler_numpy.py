#!/usr/bin/env python3
"""Nanoseconds per token of NumPy generators of selective copying (docs/tasks.md), against benchmarks/bench_sampler.

All draw the task's defaults: 26 values, distances 5 to 9, one token in five a number. `arrays` draws whole arrays for
many rows at once, the best that NumPy does; `batch` the same for the 8 rows of a training step; `row` one row at a
time, as hyseq's sampler works; `keyed row` one row from a counter-based generator keyed by the row, which is what makes
data independent of batches and threads, as hyseq's are; `loop` token by token in Python.

  sampler_numpy.py [--json]
  sampler_numpy.py --check   labels against tests/golden, frequencies against the task; exit 1 where they disagree
"""
import argparse
import json
import pathlib
import random
import statistics
import sys
import time

try:
    import numpy as np
except ImportError:
    sys.exit("sampler_numpy.py: NumPy is not installed for " + sys.executable)

VALUES, NEAREST, DISTANCES, SHARE, LENGTH = 26, 5, 5, 0.2, 100
NULL = VALUES + DISTANCES + 2


def draw(generator, shape):
    is_number = generator.random(shape, dtype=np.float32) < SHARE
    value = generator.integers(0, VALUES, shape, dtype=np.int32)
    number = generator.integers(VALUES, VALUES + DISTANCES, shape, dtype=np.int32)
    return np.where(is_number, number, value)


def label(tokens, values=VALUES, nearest=NEAREST, distances=DISTANCES):
    """Targets of [rows, length]: the token as far back as the latest number says, else <null>."""
    position = np.arange(tokens.shape[1], dtype=np.int32)
    is_number = (tokens >= values) & (tokens < values + distances)
    latest = np.maximum.accumulate(np.where(is_number, position, -1), axis=1)
    distance = np.take_along_axis(tokens, np.maximum(latest, 0), axis=1) - values + nearest
    source = position - distance
    known = (latest >= 0) & (source >= 0)
    copied = np.take_along_axis(tokens, np.where(known, source, 0), axis=1)
    return np.where(known, copied, values + distances + 2)


def draw_in_a_loop(length):
    return [VALUES + random.randrange(DISTANCES) if random.random() < SHARE else random.randrange(VALUES)
            for _ in range(length)]


def cases():
    """name -> (call, tokens per call)"""
    generator = np.random.default_rng(1)
    row = iter(range(1 << 62))
    return {
        "arrays": (lambda: draw(generator, (1024, LENGTH)), 1024 * LENGTH),
        "batch": (lambda: draw(generator, (8, LENGTH)), 8 * LENGTH),
        "row": (lambda: draw(generator, (1, LENGTH)), LENGTH),
        "keyed row": (lambda: draw(np.random.Generator(np.random.Philox(key=next(row))), (1, LENGTH)), LENGTH),
        "loop": (lambda: draw_in_a_loop(LENGTH), LENGTH),
        "arrays and labels": (lambda: label(draw(generator, (1024, LENGTH))), 1024 * LENGTH),
        "batch and labels": (lambda: label(draw(generator, (8, LENGTH))), 8 * LENGTH),
    }


def measure(call, tokens, seconds=0.05):
    """Nanoseconds per token of one run of about `seconds`."""
    call()
    calls, begin = 0, time.perf_counter()
    while time.perf_counter() - begin < seconds:
        call()
        calls += 1
    return 1e9 * (time.perf_counter() - begin) / (calls * tokens)


def check(folder):
    import h5py
    files = sorted(pathlib.Path(folder).glob("tasks_selective_copy_*.h5"))
    good = bool(files)
    for path in files:
        with h5py.File(path) as file:
            a = file.attrs
            labels = label(file["input"][()], int(a["n"]), int(a["lo"]), int(a["count"]))
            same = np.array_equal(labels, file["target"][()])
        print(f"{'ok' if same else 'FAILED':6} {path.name}")
        good = good and same
    tokens = draw(np.random.default_rng(5), (2000, LENGTH))
    counts = np.bincount(tokens.ravel(), minlength=VALUES + DISTANCES) / tokens.size
    expected = np.r_[np.full(VALUES, (1 - SHARE) / VALUES), np.full(DISTANCES, SHARE / DISTANCES)]
    off = float((np.abs(counts - expected) / np.sqrt(expected / tokens.size)).max())
    print(f"{'ok' if off < 5 else 'FAILED':6} frequencies of {tokens.size} tokens within {off:.1f} standard deviations")
    return good and off < 5


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="one round as a JSON object, for benchmarks/compare")
    golden = pathlib.Path(__file__).resolve().parents[2] / "tests" / "golden"
    parser.add_argument("--check", nargs="?", const=golden, metavar="FOLDER")
    arguments = parser.parse_args()
    if arguments.check:
        sys.exit(0 if check(arguments.check) else 1)
    if arguments.json:
        print(json.dumps({name: measure(*case) for name, case in cases().items()}))
        return
    for name, case in cases().items():
        print(f"{name:18} {statistics.median(measure(*case) for _ in range(5)):8.1f} ns a token")


if __name__ == "__main__":
    main()
