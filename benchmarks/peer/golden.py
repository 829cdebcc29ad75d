"""The check of every form against tests/golden: logits, losses, gradients and training traces in double precision."""
import pathlib

import torch

import careful_form
from architecture import Architecture, Dropout
from careful_form import CarefulModel
from library_form import LibraryModel, UnbindModel
from training import Optimiser, Trainer, masked_loss

FORMS = (LibraryModel, UnbindModel, CarefulModel)
LIMIT = 1e-11  # logits, losses, gradients, learning rates (tests/golden/README.md)
FINAL_LIMIT = 1e-9  # parameters after five steps


def read(path):
    import h5py
    values, attributes = {}, {}
    with h5py.File(path) as file:
        for name, value in file.attrs.items():
            attributes[name] = value.decode() if isinstance(value, bytes) else value
        file.visititems(lambda name, item: values.update({name: torch.as_tensor(item[()])})
                        if isinstance(item, h5py.Dataset) else None)
    return values, attributes


def architecture(attributes):
    return Architecture(
        layers=tuple(str(attributes["layers"]).split(",")), width=int(attributes["d"]),
        vocabulary=int(attributes["V"]), window=int(attributes["window"]), states=int(attributes["N"]),
        heads=int(attributes["heads"]), rotary_width=int(attributes["rotary_width"]),
        parallel=bool(attributes["parallel_residual"]), conv_width=int(attributes["conv_width"]),
        expansion=int(attributes["expansion"]))


def distance(actual, expected):
    """Largest absolute difference; infinite where shapes differ or a number is missing or not finite."""
    if actual is None or actual.numel() != expected.numel() or not torch.isfinite(actual).all():
        return float("inf")
    return float((actual.reshape(expected.shape) - expected).abs().max())


def model_errors(form, path, change=None):
    """Largest errors against one golden file; `change` edits the parameters first (a planted error)."""
    values, attributes = read(path)
    model = form(architecture(attributes), dtype=torch.float64)
    parameters = {name: values[name].clone() for name in model.values()}
    if change:
        change(parameters)
    model.load(parameters)
    logits = model(values["input"].long())
    loss = masked_loss(logits, values["target"].long())
    loss.backward()
    gradients = model.gradients()
    return {"logits": distance(logits.detach(), values["logits"]), "loss": distance(loss.detach(), values["loss"]),
            "gradients": max(distance(g, values["grad/" + name]) for name, g in gradients.items())}


def trace_errors(form, path):
    values, attributes = read(path)
    model = form(architecture(attributes), dtype=torch.float64)
    model.load({name: values["init/" + name] for name in model.values()})
    trainer = Trainer(model, Optimiser(
        learning_rate=attributes["lr_peak"], warmup=int(attributes["warmup_steps"]),
        steps=int(attributes["total_steps"]), beta1=attributes["beta1"], beta2=attributes["beta2"],
        epsilon=attributes["eps"], weight_decay=attributes["weight_decay"], clip=attributes["clip_norm"]))
    errors = {"loss": 0.0, "norm": 0.0, "rate": 0.0}
    for s in range(int(attributes["steps"])):
        loss, norm, rate = trainer.step(values["input"][s].long(), values["target"][s].long())
        errors["loss"] = max(errors["loss"], distance(loss, values["loss"][s]))
        errors["norm"] = max(errors["norm"], distance(norm, values["grad_norm"][s]))
        errors["rate"] = max(errors["rate"], abs(rate - float(values["lr"][s])))
    errors["final"] = max(distance(v, values["final/" + name]) for name, v in model.values().items())
    return errors


def dropout_failures(form):
    """Every site must act on its own in training, at its rate, and be off in evaluation."""
    failures = []
    ids = torch.randint(0, 11, (4, 20), generator=torch.Generator().manual_seed(3))
    for site in ("embedding", "probabilities", "attention", "mlp"):
        def build(rate, site=site):
            return form(Architecture(("SSM", "TF"), 8, 11, window=5, dropout=Dropout(**{site: rate})), seed=1)
        plain, dropped = build(0.0)(ids), build(0.5)
        torch.manual_seed(0)
        if torch.equal(dropped(ids), plain):
            failures.append(f"{form.form}: dropout at {site} does nothing")
        if not torch.allclose(dropped.eval()(ids), plain, atol=1e-6):
            failures.append(f"{form.form}: dropout at {site} acts in evaluation")
    return failures


def check(folder):
    """(lines to print, whether everything agrees)."""
    torch.set_default_dtype(torch.float64)
    models = sorted(pathlib.Path(folder).glob("model_*.h5"))
    traces = sorted(pathlib.Path(folder).glob("train_*.h5"))
    if not models or not traces:
        return [f"no golden files model_*.h5 and train_*.h5 in {folder}"], False
    lines, good = [], True

    def judge(what, errors):
        nonlocal good
        bad = [key for key, error in errors.items() if not error <= (FINAL_LIMIT if key == "final" else LIMIT)]
        good = good and not bad
        lines.append(f"{'FAILED' if bad else 'ok':6} {what}: " + ", ".join(f"{k} {v:.1e}" for k, v in errors.items()))

    for form in FORMS:
        for path in models:
            judge(f"{form.form} {path.name}", model_errors(form, path))
        for path in traces:
            judge(f"{form.form} {path.name}", trace_errors(form, path))

        def plant(parameters):
            parameters["final_norm.weight"][0] += 1e-9
        # The careful scan in pieces of one step.
        if form is CarefulModel:
            whole, careful_form.SCAN_NUMBERS = careful_form.SCAN_NUMBERS, 1
            judge(f"{form.form} {models[0].name}, scan in pieces", model_errors(form, models[0]))
            careful_form.SCAN_NUMBERS = whole
        caught = max(model_errors(form, models[0], plant).values()) > LIMIT
        good = good and caught
        lines.append(f"{'ok' if caught else 'FAILED':6} {form.form}: an error of 1e-9 in one parameter is seen")
        torch.set_default_dtype(torch.float32)
        failures = dropout_failures(form)
        torch.set_default_dtype(torch.float64)
        good = good and not failures
        lines += [f"FAILED {text}" for text in failures] or [f"ok     {form.form}: every dropout site acts"]
    torch.set_default_dtype(torch.float32)
    return lines, good
