# The rival of test/bench/programs.mjs: reads a model's size as a line of JSON and answers with the milliseconds of a training step of PyTorch, eager or
# as a CUDA graph, of a token that it writes, or of a tensor that a loop makes, and the most bytes of the GPU that were in use. The argument is the device: cpu or cuda.
import json
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn

device = sys.argv[1]


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.before, self.between = nn.LayerNorm(width), nn.LayerNorm(width)
        self.inputs, self.outputs = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.widen, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x, cache=None):
        batch, length, width = x.shape
        q, k, v = self.inputs(self.before(x)).view(batch, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        if cache is None:
            seen = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            keys, values, place, mask = cache
            keys.index_copy_(2, place, k)
            values.index_copy_(2, place, v)
            seen = F.scaled_dot_product_attention(q, keys, values, attn_mask=mask)
        x = x + self.outputs(seen.transpose(1, 2).reshape(batch, length, width))
        return x + self.narrow(F.gelu(self.widen(self.between(x)), approximate="tanh"))


class GPT(nn.Module):
    def __init__(self, layers, width, heads, vocabulary, length):
        super().__init__()
        self.token, self.place = nn.Embedding(vocabulary, width), nn.Embedding(length, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)

    def forward(self, tokens):
        x = self.token(tokens) + self.place(torch.arange(tokens.shape[1], device=tokens.device))
        for block in self.blocks:
            x = block(x)
        return F.linear(self.norm(x), self.token.weight)


def step_of(size):
    torch.manual_seed(1)
    model = GPT(size["layers"], size["width"], size["heads"], size["vocabulary"], size["length"])
    model = model.to(device, getattr(torch, size["dtype"]))
    optimizer = torch.optim.AdamW(model.parameters(), fused=device == "cuda", capturable=size["graph"])
    tokens = torch.randint(size["vocabulary"], (size["batch"], size["length"] + 1), device=device)
    inputs, targets = tokens[:, :-1].contiguous(), tokens[:, 1:].reshape(-1)

    def step():
        F.cross_entropy(model(inputs).view(-1, size["vocabulary"]), targets).backward()
        optimizer.step()
        optimizer.zero_grad()

    return replayed(step) if size["graph"] else step


def generation_of(size):
    """Tokens one after the other, with room for all of them from the start; as gpt-fast keeps them."""
    torch.manual_seed(1)
    heads, width, length = size["heads"], size["width"] // size["heads"], size["length"]
    dtype = getattr(torch, size["dtype"])
    model = GPT(size["layers"], size["width"], heads, size["vocabulary"], length).to(device, dtype).eval()
    rooms = [[torch.zeros(1, heads, length, width, device=device, dtype=dtype) for _ in "kv"] for _ in model.blocks]
    token = torch.zeros(1, 1, device=device, dtype=torch.long)
    place = torch.zeros(1, device=device, dtype=torch.long)
    everywhere = torch.arange(length, device=device)

    @torch.no_grad()
    def step():
        mask = (everywhere <= place).view(1, 1, 1, length)
        x = model.token(token) + model.place(place)
        for block, (keys, values) in zip(model.blocks, rooms):
            x = block(x, (keys, values, place, mask))
        token.copy_(F.linear(model.norm(x), model.token.weight).argmax(-1))
        place.add_(1)

    run = replayed(step) if size["graph"] else step

    def begin():
        place.zero_()
        token.zero_()

    begin()
    return run, begin


def loop_of(size):
    """New tensors that nobody lets go of by hand."""
    x = torch.ones(size["loop"], device=device)
    kept = []

    def step():
        kept[:] = [x + 1]

    return step


def replayed(step):
    """The same step, captured after some that were run as they are."""
    beside = torch.cuda.Stream()
    beside.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(beside):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(beside)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph.replay


def settle():
    if device == "cuda":
        torch.cuda.synchronize()


print(f"PyTorch {torch.__version__}", flush=True)
made = {}
for line in sys.stdin:
    if line not in made:
        made.clear()
        size = json.loads(line)
        if "generation" in size:
            made[line] = generation_of(size)
        else:
            made[line] = (loop_of(size) if "loop" in size else step_of(size), lambda: None)
        for _ in range(5):
            made[line][0]()
    (step, start), count = made[line], json.loads(line)["steps"]
    start()
    settle()
    begin = time.perf_counter()
    for _ in range(count):
        step()
    settle()
    elapsed = (time.perf_counter() - begin) / count * 1e3
    peak = torch.cuda.max_memory_allocated() if device == "cuda" else None
    print(json.dumps({"milliseconds": elapsed, "memory": peak}), flush=True)
