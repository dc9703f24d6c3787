# The rivals of test/bench/tensors.mjs: reads "CASE ROWS COLUMNS DTYPE MILLISECONDS" and answers with the milliseconds of one run for each rival that has the case,
# as a JSON object. The argument is the device: cpu (NumPy, and JAX where it is installed) or cuda (PyTorch).
import json
import sys
import time


def timed(run, settle, turn):
    """Milliseconds of one run, over as many as fill `turn` milliseconds."""
    begin = time.perf_counter()
    count, batch = 0, 1
    while (time.perf_counter() - begin) * 1e3 < turn and count < 4096:
        for _ in range(batch):
            result = run()
        settle(result)
        count += batch
        batch = min(2 * batch, 64)
    return (time.perf_counter() - begin) / count * 1e3


class Numpy:
    def __init__(self):
        import numpy

        self.np = numpy
        self.name = f"NumPy {numpy.__version__}"

    def settle(self, result):
        pass

    def make(self, case, rows, columns, dtype):
        np = self.np
        if dtype != "float32":
            return None
        rng = np.random.default_rng(1)
        x, y = (rng.standard_normal((rows, columns), dtype) for _ in range(2))
        w, b = (rng.standard_normal(columns, dtype) for _ in range(2))
        small = (x[0], y[0])
        size = np.abs(x)

        def gelu(v):
            return v * np.float32(0.5) * (1 + np.tanh(np.float32(0.7978846) * (v + np.float32(0.044715) * v * v * v)))

        def softmax():
            e = np.exp(x - x.max(1, keepdims=True))
            return e / e.sum(1, keepdims=True)

        def layer_norm():
            d = x - x.mean(1, keepdims=True)
            return d / np.sqrt((d * d).mean(1, keepdims=True) + np.float32(1e-5)) * w + b

        cases = {
            "add": lambda: x + y,
            "exp": lambda: np.exp(x),
            "sigmoid": lambda: 1 / (1 + np.exp(-x)),
            "sin": lambda: np.sin(x),
            "pow": lambda: size ** np.float32(2.5),
            "rowStd": lambda: x.std(1, ddof=1),
            "mseLoss": lambda: np.square(x - y).mean(),
            "clone": lambda: x.copy(),
            "transposedCopy": lambda: np.ascontiguousarray(x.T),
            "rowSum": lambda: x.sum(1),
            "columnSum": lambda: x.sum(0),
            "softmax": softmax,
            "layerNorm": layer_norm,
            "rmsNorm": lambda: x / np.sqrt((x * x).mean(1, keepdims=True) + np.float32(1e-5)) * w,
            "gelu": lambda: gelu(x),
            "cumsum": lambda: x.cumsum(1),
            "chainAndRowSum": lambda: (1 / (1 + np.exp(-(np.tanh(x * 2 + y) * y + 1)))).sum(1),
            "matmul": lambda: x @ y,
            "linearGelu": lambda: gelu(x @ y.T + b),
            "sort": lambda: np.sort(x[0]),
            "smallOp": lambda: small[0] + small[1],
        }
        return cases.get(case)


class Jax:
    def __init__(self):
        import jax

        self.jax = jax
        self.name = f"JAX {jax.__version__}"

    def settle(self, result):
        self.jax.block_until_ready(result)

    def make(self, case, rows, columns, dtype):
        jax, jnp = self.jax, self.jax.numpy
        keys = jax.random.split(jax.random.key(1), 4)
        x, y = (jax.random.normal(key, (rows, columns), dtype) for key in keys[:2])
        w, b = (jax.random.normal(key, (columns,), dtype) for key in keys[2:])

        def layer_norm(v, w, b):
            d = v - v.mean(1, keepdims=True)
            return d * jax.lax.rsqrt((d * d).mean(1, keepdims=True) + 1e-5) * w + b

        def rms_norm(v, w):
            return v * jax.lax.rsqrt((v * v).mean(1, keepdims=True) + 1e-5) * w

        def slope(f):
            return lambda v, g, *rest: jax.vjp(lambda u: f(u, *rest), v)[1](g)[0]

        def slopes(f):
            return lambda g, *operands: jax.vjp(f, *operands)[1](g)

        def gelu(v):
            return jax.nn.gelu(v, approximate=False)

        def softmax(v):
            return jax.nn.softmax(v, 1)

        def perceptron(parameters, v):
            for w, b in parameters[:-1]:
                v = jax.nn.relu(v @ w + b)
            w, b = parameters[-1]
            return ((v @ w + b) ** 2).mean()

        cases = {
            "add": (lambda x, y: x + y, (x, y)),
            "exp": (jnp.exp, (x,)),
            "sigmoid": (jax.nn.sigmoid, (x,)),
            "sin": (jnp.sin, (x,)),
            "pow": (lambda x: x ** 2.5, (jnp.abs(x),)),
            "rowStd": (lambda x: x.std(1, ddof=1), (x,)),
            "mseLoss": (lambda x, y: ((x - y) ** 2).mean(), (x, y)),
            "mseLossBackward": (jax.grad(lambda x, y: ((x - y) ** 2).mean()), (x, y)),
            "clone": (jnp.copy, (x,)),
            "transposedCopy": (lambda x: x.T.copy(), (x,)),
            "rowSum": (lambda x: x.sum(1), (x,)),
            "columnSum": (lambda x: x.sum(0), (x,)),
            "softmax": (softmax, (x,)),
            "softmaxBackward": (slope(softmax), (x, y)),
            "layerNorm": (layer_norm, (x, w, b)),
            "layerNormBackward": (slope(layer_norm), (x, y, w, b)),
            "layerNormGradients": (slopes(layer_norm), (y, x, w, b)),
            "rmsNorm": (rms_norm, (x, w)),
            "rmsNormBackward": (slope(rms_norm), (x, y, w)),
            "rmsNormGradients": (slopes(rms_norm), (y, x, w)),
            "gelu": (gelu, (x,)),
            "geluBackward": (slope(gelu), (x, y)),
            "cumsum": (lambda x: jnp.cumsum(x, 1), (x,)),
            "chainAndRowSum": (lambda x, y: jax.nn.sigmoid(jnp.tanh(x * 2 + y) * y + 1).sum(1), (x, y)),
            "linearGelu": (lambda x, y, b: jax.nn.gelu(x @ y.T + b, approximate=True), (x, y, b)),
            "matmul": (lambda x, y: x @ y, (x, y)),
            "sort": (lambda x: jnp.sort(x[0]), (x,)),
            "smallOp": (lambda x, y: x + y, (x[0], y[0])),
        }
        if case == "perceptron":
            cases[case] = (jax.grad(perceptron), ([(jnp.ones((columns, columns)) * 0.06, jnp.zeros(columns)) for _ in range(3)], x))
        if case not in cases:
            return None
        function, arguments = cases[case]
        compiled = jax.jit(function)
        return lambda: compiled(*arguments)


class Torch:
    def __init__(self):
        import torch

        if not torch.cuda.is_available():
            raise ImportError("PyTorch sees no GPU.")
        self.torch = torch
        self.name = f"PyTorch {torch.__version__}"

    def settle(self, result):
        self.torch.cuda.synchronize()

    def make(self, case, rows, columns, dtype):
        torch = self.torch
        F = torch.nn.functional
        on = {"device": "cuda", "dtype": getattr(torch, dtype)}
        x, y = (torch.randn(rows, columns, **on) for _ in range(2))
        w, b = (torch.randn(columns, **on) for _ in range(2))
        torch.backends.cuda.matmul.allow_tf32 = False

        def slope(f):
            v = x.clone().requires_grad_()
            out = f(v)
            return lambda: torch.autograd.grad(out, v, y, retain_graph=True)

        def slopes(f, *operands):
            leaves = [operand.clone().requires_grad_() for operand in operands]
            out = f(*leaves)
            return lambda: torch.autograd.grad(out, leaves, y, retain_graph=True)

        def power(v):
            return lambda: v**2.5

        def loss_slope(f):
            v = x.clone().requires_grad_()
            out = f(v)
            return lambda: torch.autograd.grad(out, v, retain_graph=True)

        def perceptron():
            layers = [(torch.randn(columns, columns, **on) * 0.06, torch.zeros(columns, **on)) for _ in range(3)]
            leaves = [leaf.requires_grad_() for layer in layers for leaf in layer]

            def step():
                v = x
                for w, b in layers[:-1]:
                    v = torch.relu(v @ w + b)
                w, b = layers[-1]
                return torch.autograd.grad(((v @ w + b) ** 2).mean(), leaves)

            return step

        def adam_w():
            weight = x.clone().requires_grad_()
            weight.grad = y
            return torch.optim.AdamW([weight], fused=True).step

        def block_step():
            nn = torch.nn
            norms = [nn.LayerNorm(columns, **on) for _ in range(2)]
            put_in, put_out = nn.Linear(columns, 3 * columns, **on), nn.Linear(columns, columns, **on)
            think = nn.Sequential(nn.Linear(columns, 128, **on), nn.GELU(approximate="tanh"), nn.Linear(128, columns, **on))
            digit, out = nn.Embedding(10, columns, **on), nn.Linear(columns, 10, **on)
            parameters = [p for module in (*norms, put_in, put_out, think, digit, out) for p in module.parameters()]
            optimizer = torch.optim.AdamW(parameters, fused=True)
            digits, targets = (torch.randint(0, 10, (rows // 8, 8), device="cuda") for _ in range(2))

            def step():
                optimizer.zero_grad()
                v = digit(digits)
                q, k, u = (part.reshape(-1, 8, 4, columns // 4).transpose(1, 2) for part in put_in(norms[0](v)).chunk(3, -1))
                v = v + put_out(F.scaled_dot_product_attention(q, k, u).transpose(1, 2).reshape(-1, 8, columns))
                v = v + think(norms[1](v))
                loss = F.cross_entropy(out(v).reshape(-1, 10), targets.reshape(-1))
                loss.backward()
                optimizer.step()
                return loss.item()

            return step

        def norm(v):
            return F.rms_norm(v, (columns,), w, 1e-5)

        cases = {
            "add": lambda: lambda: x + y,
            "exp": lambda: lambda: torch.exp(x),
            "sigmoid": lambda: lambda: torch.sigmoid(x),
            "sin": lambda: lambda: torch.sin(x),
            "pow": lambda: power(x.abs()),
            "rowStd": lambda: lambda: x.std(1),
            "mseLoss": lambda: lambda: F.mse_loss(x, y),
            "mseLossBackward": lambda: loss_slope(lambda v: F.mse_loss(v, y)),
            "clone": lambda: lambda: x.clone(),
            "transposedCopy": lambda: lambda: x.T.contiguous(),
            "rowSum": lambda: lambda: x.sum(1),
            "columnSum": lambda: lambda: x.sum(0),
            "softmax": lambda: lambda: torch.softmax(x, 1),
            "softmaxBackward": lambda: slope(lambda v: torch.softmax(v, 1)),
            "layerNorm": lambda: lambda: F.layer_norm(x, (columns,), w, b),
            "layerNormBackward": lambda: slope(lambda v: F.layer_norm(v, (columns,), w, b)),
            "layerNormGradients": lambda: slopes(lambda v, w, b: F.layer_norm(v, (columns,), w, b), x, w, b),
            "rmsNorm": lambda: lambda: norm(x),
            "rmsNormBackward": lambda: slope(norm),
            "rmsNormGradients": lambda: slopes(lambda v, w: F.rms_norm(v, (columns,), w, 1e-5), x, w),
            "gelu": lambda: lambda: F.gelu(x),
            "geluBackward": lambda: slope(F.gelu),
            "cumsum": lambda: lambda: x.cumsum(1),
            "chainAndRowSum": lambda: lambda: torch.sigmoid(torch.tanh(x * 2 + y) * y + 1).sum(1),
            "matmul": lambda: lambda: x @ y,
            "linearGelu": lambda: lambda: F.gelu(F.linear(x, y, b), approximate="tanh"),
            "sort": lambda: lambda: torch.sort(x[0]),
            "smallOp": lambda: lambda: x + y,
            "perceptron": perceptron,
            "adamW": adam_w,
            "blockStep": block_step,
        }
        return cases[case]() if case in cases else None


def available(kinds):
    found = []
    for kind in kinds:
        try:
            found.append(kind())
        except ImportError as error:
            print(f"{kind.__name__}: {error}", file=sys.stderr)
    return found


def main():
    rivals = available([Torch] if sys.argv[1] == "cuda" else [Numpy, Jax])
    if not rivals:
        sys.exit(1)
    print(", ".join(rival.name for rival in rivals), flush=True)
    made = {}
    for line in sys.stdin:
        words = line.split()
        if words[0] == "forget":
            made.clear()
            print("{}", flush=True)
            continue
        case, rows, columns, dtype, turn = words[0], int(words[1]), int(words[2]), words[3], float(words[4])
        answer = {}
        for rival in rivals:
            key = (rival.name, *words[:4])
            if key not in made:
                made[key] = rival.make(case, rows, columns, dtype)
                if made[key] is not None:
                    for _ in range(3):
                        rival.settle(made[key]())
            if made[key] is None:
                continue
            if case == "smallOp":
                begin = time.perf_counter()
                for _ in range(10000):
                    result = made[key]()
                answer[rival.name] = (time.perf_counter() - begin) / 10000 * 1e3
                rival.settle(result)
            else:
                answer[rival.name] = timed(made[key], rival.settle, turn)
        print(json.dumps(answer), flush=True)


main()
