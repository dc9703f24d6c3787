"""Round trip, start, streaming, binary output and interrupt of this kernel and of ipykernel, in turns, through the same Jupyter client.
Prints one JSON object per figure: {"name", "unit", "ours", "rival", "ratio", "limit", "better", "note"}."""
import json
import statistics
import subprocess
import sys
import time
from queue import Empty

from jupyter_client import KernelManager

OURS, RIVAL = "warpcell", "python3"
LINE = "x" * 99
LINES = 20_000
MIB = 64

LOOP = {
    OURS: f'for (let i = 0; i < {LINES}; i++) console.log("{LINE}")',
    RIVAL: f'for i in range({LINES}): print("{LINE}")',
}
ENDLESS = {
    OURS: 'for (;;) console.log("x".repeat(1000))',
    RIVAL: 'while True: print("x" * 1000)',
}
BINARY_SETUP = {
    OURS: f"const big = new Uint8Array({MIB} << 20).map((_, i) => i * 31)",
    RIVAL: f"k = get_ipython().kernel; big = bytes((i * 31) & 255 for i in range(256)) * ({MIB} << 12)",
}
BINARY = {
    OURS: 'display({ "text/plain": "big" }, { buffers: [big] })',
    RIVAL: 'k.session.send(k.iopub_socket, "display_data", {"data": {"text/plain": "big"}, "metadata": {}, "transient": {}}, parent=k.get_parent(), ident=k._topic("display_data"), buffers=[big])',
}


def start(name):
    manager = KernelManager(kernel_name=name)
    manager.start_kernel(stderr=subprocess.DEVNULL)
    client = manager.client()
    client.start_channels()
    client.wait_for_ready(timeout=60)
    return manager, client


def stop(manager, client):
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def run(client, code, timeout=60):
    """Executes a cell; returns seconds until both the reply and idle are here, and the iopub messages in between."""
    begin = time.perf_counter()
    request = client.execute(code)
    messages = []
    while True:
        message = client.get_iopub_msg(timeout=timeout)
        if message["parent_header"].get("msg_id") != request:
            continue
        messages.append(message)
        if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
            break
    while client.get_shell_msg(timeout=timeout)["parent_header"].get("msg_id") != request:
        pass
    seconds = time.perf_counter() - begin
    errors = [message["content"] for message in messages if message["msg_type"] == "error"]
    if errors:
        raise RuntimeError(f"{code[:60]}: {errors[0]['ename']}: {errors[0]['evalue']}")
    return seconds, messages


def after_idle(client):
    """Messages that come although the cell has ended."""
    count = 0
    while True:
        try:
            client.get_iopub_msg(timeout=0.5)
            count += 1
        except Empty:
            return count


def figure(name, unit, ours, rival, limit, better, note=""):
    print(json.dumps({"name": name, "unit": unit, "ours": ours, "rival": rival, "ratio": ours / rival, "limit": limit, "better": better, "note": note}), flush=True)


def startup(rounds=5):
    seconds = {OURS: [], RIVAL: []}
    for _ in range(rounds):
        for name in (OURS, RIVAL, RIVAL, OURS):
            begin = time.perf_counter()
            manager, client = start(name)
            run(client, "1+1")
            seconds[name].append(time.perf_counter() - begin)
            stop(manager, client)
    figure("start to first result", "ms", *(1e3 * statistics.median(seconds[name]) for name in (OURS, RIVAL)), 1.1, "lower", f"median of {2 * rounds}")


def text(messages):
    return "".join(message["content"]["text"] for message in messages if message["msg_type"] == "stream")


def together(body):
    kernels = {name: start(name) for name in (OURS, RIVAL)}
    try:
        body({name: client for name, (_, client) in kernels.items()})
    finally:
        for manager, client in kernels.values():
            stop(manager, client)


def round_trip(clients, rounds=40, each=10):
    seconds = {name: [] for name in clients}
    for _ in range(30):
        for client in clients.values():
            run(client, "1+1")
    for _ in range(rounds):
        for name in (OURS, RIVAL, RIVAL, OURS):
            seconds[name] += [run(clients[name], "1+1")[0] for _ in range(each)]
    figure("round trip of 1+1, p50", "ms", *(1e3 * statistics.median(seconds[name]) for name in (OURS, RIVAL)), 0.5, "lower", f"{2 * rounds * each} each")
    figure("round trip of 1+1, p99", "ms", *(1e3 * statistics.quantiles(seconds[name], n=100)[98] for name in (OURS, RIVAL)), None, "lower")
    fresh = {name: [] for name in clients}
    for i in range(0, 400, 2):
        for name, number in ((OURS, i), (RIVAL, i), (RIVAL, i + 1), (OURS, i + 1)):
            fresh[name].append(run(clients[name], f"{number}+1")[0])
    figure("round trip of a cell not seen before, p50", "ms", *(1e3 * statistics.median(fresh[name]) for name in (OURS, RIVAL)), 1.0, "lower", f"{len(fresh[OURS])} each; ours also type-checks it")


def streaming(clients, rounds=5):
    rates = {name: [] for name in clients}
    lost, late, messages = {}, {}, {}
    for _ in range(rounds):
        for name in (OURS, RIVAL, RIVAL, OURS):
            seconds, received = run(clients[name], LOOP[name])
            rates[name].append(LINES * (len(LINE) + 1) / seconds / 1e6)
            messages[name] = len(received)
            lost[name] = lost.get(name, 0) + LINES - text(received).count("\n")
            late[name] = late.get(name, 0) + after_idle(clients[name])
    figure(f"{LINES} lines", "MB/s", *(statistics.median(rates[name]) for name in (OURS, RIVAL)), 1.0, "higher", f"ours: {lost[OURS]} lost, {late[OURS]} after idle, {messages[OURS]} messages")
    if lost[OURS] or late[OURS]:
        sys.exit(f"{lost[OURS]} lines lost, {late[OURS]} messages after idle")


def binary(clients, rounds=20):
    rates = {name: [] for name in clients}
    for name, client in clients.items():
        run(client, BINARY_SETUP[name])
        run(client, BINARY[name])
    for _ in range(rounds):
        for name in (OURS, RIVAL, RIVAL, OURS):
            seconds, received = run(clients[name], BINARY[name])
            buffers = [buffer for message in received for buffer in message.get("buffers", [])]
            size = sum(len(buffer) for buffer in buffers)
            if size != MIB << 20 or bytes(buffers[0][1000:1004]) != bytes((i * 31) & 255 for i in range(1000, 1004)):
                sys.exit(f"{name}: expected {MIB} MiB back but got {size} bytes, or other bytes")
            rates[name].append(MIB / seconds)
    figure(f"{MIB} MiB of binary display", "MiB/s", *(statistics.median(rates[name]) for name in (OURS, RIVAL)), 0.9, "higher")


def interrupted(manager, client, code, characters=20_000_000):
    """Seconds from the interrupt of a cell that prints without end to its idle status, behind all that it printed."""
    request = client.execute(code)
    seen, begin = 0, None
    while True:
        message = client.get_iopub_msg(timeout=60)
        if message["parent_header"].get("msg_id") != request:
            continue
        if message["msg_type"] == "stream":
            seen += len(message["content"]["text"])
        if begin is None and seen >= characters:
            begin = time.perf_counter()
            manager.interrupt_kernel()
        if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
            break
    seconds = time.perf_counter() - begin
    if client.get_shell_msg(timeout=60)["content"]["status"] != "error":
        sys.exit("a cell that was interrupted ended well")
    return seconds


def interrupts(rounds=10):
    seconds = {}
    for name in (OURS, RIVAL):
        manager, client = start(name)
        seconds[name] = [interrupted(manager, client, ENDLESS[name]) for _ in range(rounds)]
        stop(manager, client)
    figure("interrupt of a loop that prints, p50", "ms", *(1e3 * statistics.median(seconds[name]) for name in (OURS, RIVAL)), 1.0, "lower", f"to idle, of {rounds}")
    print(json.dumps({"name": "interrupt of a loop that prints, slowest", "unit": "ms", "ours": 1e3 * max(seconds[OURS]), "limit": 500, "better": "lower", "absolute": True}), flush=True)


TOP_LEVEL = """
let total = 0, i = 0
const begun = performance.now()
for (i = 0; i < 2e7; i++) total += i
console.log(performance.now() - begun)
"""
IN_FUNCTION = """
function loop() { let total = 0, i = 0; const begun = performance.now(); for (i = 0; i < 2e7; i++) total += i; return [performance.now() - begun, total] }
console.log(loop()[0])
"""


def scope(clients, rounds=7):
    """What it costs that top-level variables live in a scope shared by all cells."""
    client = clients[OURS]
    milliseconds = lambda code: float(text(run(client, code)[1]))
    pairs = [(milliseconds(TOP_LEVEL), milliseconds(IN_FUNCTION)) for _ in range(rounds)]
    figure("2e7 iterations over top-level variables", "ms", *(statistics.median(column) for column in zip(*pairs)), 6, "lower", "the same loop in a function")


if __name__ == "__main__":
    startup()
    together(round_trip)
    together(streaming)
    together(binary)
    interrupts()
    together(scope)
