# The rivals of test/bench/shapes.mjs. The arguments are the device, cpu (NumPy, PyTorch and JAX, those that are installed)
# or cuda (PyTorch), and the file of random numbers that both sides begin with. Each line read is JSON: {"cell": …}
# prepares a cell and is answered with samples of each rival's result, {"turn": milliseconds} is answered with the
# milliseconds of one run of each.
import base64
import json
import math
import os
import re
import statistics
import sys
import time

# Beside the CPU all work on it; read when JAX is imported.
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import numpy

threads = len(os.sched_getaffinity(0))


def size_of(shape):
    return math.prod(shape)


class Numpy:
    key = "numpy"

    def __init__(self, base):
        self.name = f"NumPy {numpy.__version__}"
        self.base = base
        self.library = {"np": numpy, "rng": numpy.random.default_rng(1), "softmax": self.softmax, "layer_norm": self.layer_norm, "of_array": self.of_array}

    @staticmethod
    def softmax(x, axis):
        e = numpy.exp(x - x.max(axis, keepdims=True))
        return e / e.sum(axis, keepdims=True)

    @staticmethod
    def layer_norm(x, w, b):
        d = x - x.mean(-1, keepdims=True)
        return d / numpy.sqrt((d * d).mean(-1, keepdims=True) + numpy.float32(1e-5)) * w + b

    def of_array(self, s):
        array = (numpy.arange(s.size) % 1000).astype("float32")
        return array.copy

    def takes(self, cell):
        return all(spec["dtype"] in ("float32", "int64", "bool") for spec in cell["inputs"].values())

    def make(self, spec):
        np = numpy
        shape, kind, shift = spec["shape"], spec["kind"], spec["shift"]
        if kind == "ramp":
            return (np.arange(shape[0], dtype="float32") * np.float32(2**-7) - 4).astype(spec["dtype"])
        if kind == "reversed":
            line = np.arange(shape[spec["axis"]] - 1, -1, -1)
            return np.broadcast_to(line.reshape([size if each == spec["axis"] else 1 for each, size in enumerate(shape)]), shape).copy()
        stored, view = layouts[spec.get("layout", "contiguous")](shape)
        count = size_of(stored)
        v = np.tile(self.base, -(-(count + shift) // len(self.base)))[shift : shift + count]
        v = {
            "normal": lambda: v,
            "positive": lambda: np.abs(v) + np.float32(0.5),
            "aboveOne": lambda: np.abs(v) + np.float32(1.5),
            "unit": lambda: np.clip(v * np.float32(0.25), -0.96875, 0.96875),
            "nearOne": lambda: v * np.float32(2**-10) + 1,
            "mostlyZero": lambda: v * (v > 4),
            "mask": lambda: v > 0,
            "index": lambda: (np.abs(v) * 2**26).astype("int64") % spec["below"],
        }[kind]()
        if spec["dtype"] == "int64" and kind != "index":
            v = v * np.float32(1000)
        return view(v.astype(spec["dtype"]).reshape(stored), shape)

    def compiled(self, function):
        return function

    def settle(self, result):
        pass

    def at(self, x, index, axis):
        index = numpy.asarray(index)
        if index.ndim < x.ndim:
            index = numpy.expand_dims(index, axis)
        return numpy.take_along_axis(x, index, axis)

    def floats(self, flat):
        return numpy.asarray(flat).astype("float64")


layouts = {
    "contiguous": lambda shape: (shape, lambda x, s: x),
    "odd": lambda shape: ([size_of(shape) + 1], lambda x, s: x[1:].reshape(s)),
    "sliced": lambda shape: ([*shape[:-1], shape[-1] + 7], lambda x, s: x[..., 3 : s[-1] + 3]),
    "stepped": lambda shape: ([*shape[:-1], 2 * shape[-1]], lambda x, s: x[..., ::2]),
    "transposed": lambda shape: ([*shape[:-2], shape[-1], shape[-2]], lambda x, s: x.swapaxes(-1, -2)),
    "broadcast": lambda shape: ([shape[-1]], lambda x, s: x.expand(s) if hasattr(x, "expand") else numpy.broadcast_to(x, s)),
    "channelsLast": lambda shape: ([shape[0], *shape[2:], shape[1]], lambda x, s: x.permute(0, 3, 1, 2)),
}


class Jax(Numpy):
    key = "jax"

    def __init__(self, base):
        import jax

        super().__init__(base)
        jax.config.update("jax_enable_x64", True)
        self.jax = jax
        self.name = f"JAX {jax.__version__}"
        jnp = jax.numpy

        def layer_norm(x, w, b):
            d = x - x.mean(-1, keepdims=True)
            return d * jax.lax.rsqrt((d * d).mean(-1, keepdims=True) + 1e-5) * w + b

        def rms_norm(x, w):
            return x * jax.lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-5) * w

        self.library = {"jax": jax, "jnp": jnp, "jax_layer_norm": layer_norm, "jax_rms_norm": rms_norm, "softmax": jax.nn.softmax, "layer_norm": layer_norm}

    def takes(self, cell):
        # Arrays of JAX have no layouts of their own; compiling for one of 2^10 elements says nothing.
        return super().takes(cell) and cell["layout"] == "contiguous"

    def make(self, spec):
        return self.jax.numpy.asarray(super().make(spec))

    def compiled(self, function):
        return self.jax.jit(function)

    def settle(self, result):
        self.jax.block_until_ready(result)

    def at(self, x, index, axis):
        return super().at(numpy.asarray(x), index, axis)


class Torch:
    key = "torch"

    def __init__(self, base, device="cpu"):
        import torch

        if device == "cuda" and not torch.cuda.is_available():
            raise ImportError("PyTorch sees no GPU.")
        self.torch, self.device = torch, device
        self.name = f"PyTorch {torch.__version__}"
        torch.set_num_threads(threads)
        torch.backends.cuda.matmul.allow_tf32 = False
        torch.backends.cudnn.allow_tf32 = False
        self.base = torch.from_numpy(base).to(device)
        self.library = {"torch": torch, "F": torch.nn.functional, "slopes": self.slopes, "of_array": self.of_array}

    def slopes(self, f, g, *operands):
        leaves = [operand.clone().requires_grad_() for operand in operands]
        out = f(*leaves)
        return lambda: self.torch.autograd.grad(out, leaves, g, retain_graph=True)

    def of_array(self, s):
        array = (numpy.arange(s.numel()) % 1000).astype("float32")
        return lambda: self.torch.tensor(array, device=self.device)

    def takes(self, cell):
        return True

    def make(self, spec):
        torch = self.torch
        shape, kind, shift, dtype = spec["shape"], spec["kind"], spec["shift"], getattr(torch, spec["dtype"])
        if kind == "ramp":
            return (torch.arange(shape[0], device=self.device, dtype=torch.float32) * 2**-7 - 4).to(dtype)
        if kind == "reversed":
            line = torch.arange(shape[spec["axis"]] - 1, -1, -1, device=self.device)
            return line.reshape([size if each == spec["axis"] else 1 for each, size in enumerate(shape)]).expand(shape).contiguous()
        stored, view = layouts[spec.get("layout", "contiguous")](shape)
        count = size_of(stored)
        v = self.base.repeat(-(-(count + shift) // self.base.numel()))[shift : shift + count]
        v = {
            "normal": lambda: v,
            "positive": lambda: v.abs() + 0.5,
            "aboveOne": lambda: v.abs() + 1.5,
            "unit": lambda: (v * 0.25).clamp(-0.96875, 0.96875),
            "nearOne": lambda: v * 2**-10 + 1,
            "mostlyZero": lambda: v * (v > 4),
            "mask": lambda: v > 0,
            "index": lambda: (v.abs() * 2**26).to(torch.int64) % spec["below"],
        }[kind]()
        if spec["dtype"] == "int64" and kind != "index":
            v = v * 1000
        return view(v.to(dtype).reshape(stored).clone(), shape)

    def compiled(self, function):
        return function

    def settle(self, result):
        if self.device == "cuda":
            self.torch.cuda.synchronize()

    def at(self, x, index, axis):
        if index.ndim < x.ndim:
            index = index.unsqueeze(axis)
        return x.gather(axis, index)

    def floats(self, flat):
        return flat.to(self.torch.float64).cpu().numpy()


def sampled(flat):
    """Elements far apart, the first and the last: as `sampled` of shapes.mjs takes them."""
    count = flat.shape[0]
    if count <= 512:
        return flat
    return flat[:: count // 384 | 1]


class Run:
    """One cell of one rival."""

    def __init__(self, rival, cell):
        self.rival = rival
        code = cell["expressions"][rival.key]
        names = [name for name in cell["inputs"] if re.search(rf"\b{name}\b", code)]
        self.given = {name: rival.make(cell["inputs"][name]) for name in cell["inputs"]}
        function = eval(f"lambda {', '.join(names)}: {code}", {**rival.library, "axis": cell["axis"]})
        compiled, arguments = rival.compiled(function), [self.given[name] for name in names]
        self.run = lambda: compiled(*arguments)
        result = self.run()
        if callable(result):
            self.run = result
            result = self.run()
        rival.settle(result)
        begin = time.perf_counter()
        rival.settle(self.run())
        self.once = time.perf_counter() - begin
        self.sample = [] if cell.get("isRandom") else self.samples(result, cell)

    def samples(self, result, cell):
        parts = list(result) if isinstance(result, (tuple, list)) else [result]
        if cell.get("values"):
            parts = parts[:1]
        if cell.get("index"):
            parts = [self.rival.at(self.given["x"], parts[0], cell["axis"])]
        found = []
        for part in parts:
            flat = part.reshape(-1) if part.ndim else part.reshape(1)
            found += [flat[-64:], sampled(flat)]
        return [{"count": size_of(part.shape), "shape": list(part.shape)} for part in parts], numpy.concatenate([self.rival.floats(each) for each in found])

    def turn(self, milliseconds, now):
        """Milliseconds of one run: the median of five batches, after one that is not counted."""
        count = max(1, min(4096, round(milliseconds / 5 / 1e3 / max(self.once, 1e-7))))
        batches = []
        for _ in range(6):
            begin = now()
            for _ in range(count):
                result = self.run()
            self.rival.settle(result)
            batches.append((now() - begin) / count)
            if sum(batches) * count > milliseconds / 1e3 * 4:
                break
        self.once = min(batches)
        return statistics.median(batches[1:] or batches) * 1e3


def available(device, base):
    found = []
    for kind in [lambda: Torch(base, "cuda")] if device == "cuda" else [lambda: Numpy(base), lambda: Torch(base), lambda: Jax(base)]:
        try:
            found.append(kind())
        except ImportError as error:
            print(error, file=sys.stderr)
    return found


def main():
    rivals = available(sys.argv[1], numpy.fromfile(sys.argv[2], "float32"))
    if not rivals:
        sys.exit(1)
    print(", ".join(rival.name for rival in rivals), flush=True)
    runs = []
    for line in sys.stdin:
        asked = json.loads(line)
        if "cell" in asked:
            runs.clear()
            cell, answer = asked["cell"], {}
            for rival in rivals:
                if cell["expressions"].get(rival.key) is None or not rival.takes(cell):
                    continue
                try:
                    run = Run(rival, cell)
                except Exception as error:  # A rival that cannot is told apart from one that is slow.
                    answer[rival.name] = {"refuses": f"{type(error).__name__}: {error}".split("\n")[0][:200]}
                    continue
                runs.append(run)
                answer[rival.name] = {} if not run.sample else {
                    "parts": run.sample[0],
                    "sample": base64.b64encode(run.sample[1].tobytes()).decode(),
                }
        else:
            now = time.process_time if asked["processor"] else time.perf_counter
            answer = {run.rival.name: run.turn(asked["turn"], now) for run in runs}
        print(json.dumps(answer), flush=True)


main()
