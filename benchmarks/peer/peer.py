#!/usr/bin/env python3
"""The PyTorch peer of hyseq's training: a check against the golden files, and timed steps.

  peer.py --check [FOLDER]   every form against tests/golden in double precision; exit 1 where they disagree
  peer.py --time             milliseconds per training step of every model and form, medians
  peer.py --serve            for benchmarks/compare: a request per line in, an answer per line out, both JSON
"""
import argparse
import json
import pathlib
import platform
import statistics
import sys
import time

try:
    import torch
except ImportError:
    sys.exit("peer.py: PyTorch is not installed for " + sys.executable)

from architecture import Architecture, Dropout, parameter_shapes
from careful_form import CarefulModel
from library_form import LibraryModel, UnbindModel
from training import Trainer

FORMS = {form.form: form for form in (LibraryModel, UnbindModel, CarefulModel)}
MODELS = {  # layers, width, vocabulary, window
    "SSM,TF d=8": (("SSM", "TF"), 8, 34, 20),
    "SSM,TF d=12": (("SSM", "TF"), 12, 11, 100),
    "SSM,SSM d=24": (("SSM", "SSM"), 24, 34, 100),
    "TF,TF d=24": (("TF", "TF"), 24, 34, 20),
}
BATCH, LENGTH, RATE = 8, 100, 0.1
WARM_UP = 2  # steps before the first timed one


class Timer:
    """One model in one form, kept between the rounds, on random tokens (drawn outside the timed part)."""

    def __init__(self, model, form):
        layers, width, vocabulary, window = MODELS[model]
        a = Architecture(layers, width, vocabulary, window, dropout=Dropout(attention=RATE, mlp=RATE))
        self.vocabulary = vocabulary
        self.generator = torch.Generator().manual_seed(1)
        self.trainer = Trainer(FORMS[form](a))
        self.parameters = sum(torch.Size(shape).numel() for shape in parameter_shapes(a).values())
        for _ in range(WARM_UP):
            self.step()

    def step(self):
        """Wall-clock and processor milliseconds of one training step."""
        ids, target = torch.randint(0, self.vocabulary, (2, BATCH, LENGTH), generator=self.generator)
        wall, processor = time.perf_counter(), time.process_time()
        loss, _, _ = self.trainer.step(ids, target)
        wall, processor = time.perf_counter() - wall, time.process_time() - processor
        if not torch.isfinite(loss):
            sys.exit("peer.py: the loss is not finite")
        return 1e3 * wall, 1e3 * processor

    def run(self, seconds, least):
        """Means over steps of `seconds` in all, but at least `least` steps."""
        samples = []
        while len(samples) < least or sum(wall for wall, _ in samples) < 1e3 * seconds:
            samples.append(self.step())
        return {"steps": len(samples), "wall_ms": statistics.fmean(wall for wall, _ in samples),
                "cpu_ms": statistics.fmean(processor for _, processor in samples)}


def products_library():
    """The library behind torch's matrix products as far as the loaded files tell."""
    if torch.backends.mkl.is_available():
        return "MKL"
    try:
        with open("/proc/self/maps") as maps:
            paths = sorted({line.split()[-1] for line in maps if "blas" in line.rsplit("/", 1)[-1]})
    except OSError:
        return "unknown"
    fast = [path for path in paths if any(name in path for name in ("openblas", "blis", "atlas"))]
    if fast:  # rather libopenblas-r0.3.21.so than the libblas.so.3 of the same folder
        return max((pathlib.Path(path).name for path in fast), key=lambda name: "libblas" not in name)
    return "reference BLAS" if paths else "inside torch"


def versions():
    import numpy
    return {"torch": torch.__version__, "numpy": numpy.__version__, "python": platform.python_version(),
            "products": products_library(), "threads": torch.get_num_threads()}


def serve():
    timers = {}
    for line in sys.stdin:
        request = json.loads(line)
        if request["ask"] == "versions":
            answer = versions()
        elif request["ask"] == "models":
            answer = {"models": list(MODELS), "forms": list(FORMS)}
        else:
            key = (request["model"], request["form"])
            if key not in timers:
                timers[key] = Timer(*key)
            answer = {"parameters": timers[key].parameters, **timers[key].run(request["seconds"], request["least"])}
        print(json.dumps(answer), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    action = parser.add_mutually_exclusive_group(required=True)
    golden = pathlib.Path(__file__).resolve().parents[2] / "tests" / "golden"
    action.add_argument("--check", nargs="?", const=golden, metavar="FOLDER")
    action.add_argument("--time", action="store_true")
    action.add_argument("--serve", action="store_true")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    if arguments.check:
        from golden import check
        lines, good = check(arguments.check)
        print("\n".join(lines))
        sys.exit(0 if good else 1)
    torch.set_flush_denormal(True)  # to the peer's advantage: denormal numbers slow long trainings down
    if arguments.serve:
        serve()
        return
    print(versions())
    for model in MODELS:
        for form in FORMS:
            timer = Timer(model, form)
            rounds = [timer.run(0.3, 2)["wall_ms"] for _ in range(5)]
            print(f"{model:14} {form:8} {statistics.median(rounds):9.2f} ms a step", flush=True)


if __name__ == "__main__":
    main()
