# The second rival of test/bench/programs.mjs on a CPU: the same model's training step under jax.jit, whose state is given
# from one step to the next. Reads and answers as rivals/programs.py does; what is not a step is answered with null.
import json
import os
import sys
import time

os.environ.setdefault("JAX_PLATFORMS", "cpu")
import jax
import jax.numpy as jnp


def parameters_of(size):
    width, keys = size["width"], iter(jax.random.split(jax.random.key(1), 1000))

    def normal(*shape, scale=1.0):
        return scale * jax.random.normal(next(keys), shape, size["dtype"])

    def linear(inputs, outputs):
        bound = inputs**-0.5
        return {"w": jax.random.uniform(next(keys), (inputs, outputs), size["dtype"], -bound, bound), "b": jnp.zeros(outputs)}

    def norm():
        return {"w": jnp.ones(width), "b": jnp.zeros(width)}

    def block():
        return {"before": norm(), "between": norm(), "inputs": linear(width, 3 * width), "outputs": linear(width, width),
                "widen": linear(width, 4 * width), "narrow": linear(4 * width, width)}

    return {"token": normal(size["vocabulary"], width, scale=0.02), "place": normal(size["length"], width, scale=0.02),
            "blocks": [block() for _ in range(size["layers"])], "norm": norm()}


def apply(layer, x):
    return x @ layer["w"] + layer["b"]


def normalised(layer, x):
    d = x - x.mean(-1, keepdims=True)
    return d * jax.lax.rsqrt((d * d).mean(-1, keepdims=True) + 1e-5) * layer["w"] + layer["b"]


def loss_of(parameters, inputs, targets, heads):
    x = parameters["token"][inputs] + parameters["place"]
    batch, length, width = x.shape
    for block in parameters["blocks"]:
        q, k, v = jnp.split(apply(block["inputs"], normalised(block["before"], x)).reshape(batch, length, 3 * heads, width // heads), 3, axis=2)
        seen = jax.nn.dot_product_attention(q, k, v, is_causal=True).reshape(batch, length, width)
        x = x + apply(block["outputs"], seen)
        x = x + apply(block["narrow"], jax.nn.gelu(apply(block["widen"], normalised(block["between"], x)), approximate=True))
    scores = jax.nn.log_softmax((normalised(parameters["norm"], x) @ parameters["token"].T).reshape(-1, parameters["token"].shape[0]))
    return -jnp.take_along_axis(scores, targets[:, None], 1).mean()


def step_of(size):
    """One step of AdamW with PyTorch's numbers."""
    state = {"parameters": parameters_of(size)}
    state["m"] = jax.tree.map(jnp.zeros_like, state["parameters"])
    state["v"] = jax.tree.map(jnp.zeros_like, state["parameters"])
    state["steps"] = jnp.zeros((), jnp.int32)
    tokens = jax.random.randint(jax.random.key(2), (size["batch"], size["length"] + 1), 0, size["vocabulary"])
    inputs, targets = tokens[:, :-1], tokens[:, 1:].reshape(-1)

    def step(state):
        steps = state["steps"] + 1
        gradients = jax.grad(loss_of)(state["parameters"], inputs, targets, size["heads"])
        m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, state["m"], gradients)
        v = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, state["v"], gradients)
        update = lambda p, m, v: p * (1 - 1e-3 * 1e-2) - 1e-3 * (m / (1 - 0.9**steps)) / (jnp.sqrt(v / (1 - 0.999**steps)) + 1e-8)
        return {"parameters": jax.tree.map(update, state["parameters"], m, v), "m": m, "v": v, "steps": steps}

    compiled = jax.jit(step, donate_argnums=0)

    def run(count):
        nonlocal state
        for _ in range(count):
            state = compiled(state)
        jax.block_until_ready(state)

    return run


def perceptron_of(size):
    """Gradients of three layers, as test/bench/tensors.mjs has them."""
    width = size["perceptron"]

    def loss(parameters, v):
        for w, b in parameters[:-1]:
            v = jax.nn.relu(v @ w + b)
        w, b = parameters[-1]
        return ((v @ w + b) ** 2).mean()

    keys = jax.random.split(jax.random.key(1), 4)
    parameters = [(0.06 * jax.random.normal(key, (width, width)), jnp.zeros(width)) for key in keys[:3]]
    x = jax.random.normal(keys[3], (size["batch"], width))
    compiled = jax.jit(jax.grad(loss))

    def run(count):
        for _ in range(count):
            gradients = compiled(parameters, x)
            jax.block_until_ready(gradients)

    return run


print(f"JAX {jax.__version__}", flush=True)
made = {}
for line in sys.stdin:
    size = json.loads(line)
    if "generation" in size or "loop" in size:
        print("null", flush=True)
        continue
    if line not in made:
        made.clear()
        made[line] = perceptron_of(size) if "perceptron" in size else step_of(size)
        made[line](5)
    begin = time.perf_counter()
    made[line](size["steps"])
    print(json.dumps({"milliseconds": (time.perf_counter() - begin) / size["steps"] * 1e3, "memory": None}), flush=True)
