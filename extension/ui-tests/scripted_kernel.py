"""A kernel that calls itself warpcell and sends exactly what a cell tells it to: gauges on their comm, windows of a profile on its, and what panels ask for."""

import time

from ipykernel.kernelapp import IPKernelApp
from ipykernel.ipkernel import IPythonKernel


class ScriptedKernel(IPythonKernel):
    implementation = "warpcell"

    def __init__(self, **options):
        super().__init__(**options)
        self.comms = []
        self.windows = []
        self.comm_manager.register_target("warpcell.gauges", lambda comm, _message: self.comms.append(comm))
        self.comm_manager.register_target("warpcell.trace", self.serve_windows)
        self.answers = {}
        targets = ("warpcell.variables", "warpcell.memory", "warpcell.kernel", "warpcell.tensor", "warpcell.editor", "warpcell.mistakes")
        for target in targets:
            self.comm_manager.register_target(target, self.serve_answers)
        self.shell.push({"answers": self.answers, "answers_targets": targets, "gauges": self.comms, "gauge": gauge, "time": time, "windows": self.windows})

    def serve_windows(self, comm, _message):
        """Answers each request by the cell's `window(request)`: data, and buffers; notes the request."""

        def answer(message):
            request = message["content"]["data"]
            self.windows.append(request)
            data, buffers = self.shell.user_ns["window"](request)
            comm.send({"request": request["request"], **data}, buffers=buffers)

        comm.on_msg(answer)

    def serve_answers(self, comm, message):
        """Answers questions of a panel by those of `answers` of the comm's target, the last one again and again."""
        target = message["content"]["target_name"]

        def answer(question):
            left = self.answers.get(target, [{"problem": "none yet"}])
            given = left.pop(0) if len(left) > 1 else left[0]
            comm.send(given if isinstance(given, list) else {"request": question["content"]["data"]["request"], **given})

        comm.on_msg(answer)


def gauge(sequence, *, busy=False, allocated=268_435_456, used=1_288_490_189, total=150_754_820_096, utilization=0.37, **changes):
    """One complete message: an H200 by its figures, and the host."""
    cpu = dict(device="cpu", name="Host", active=False, memoryTotal=25_000_000_000, memoryUsed=400_000_000, allocated=0, reserved=0, utilization=0.02, temperature=None, power=None, sampled=1.7e12)
    cuda = dict(device="cuda:0", name="NVIDIA H200", active=True, memoryTotal=total, memoryUsed=used, allocated=allocated, reserved=536_870_912, peak=314_572_800, utilization=utilization, temperature=41, power=120.4, sampled=1.7e12)
    return {"version": 1, "sequence": sequence, "busy": busy, "devices": [cpu, cuda], **changes}


if __name__ == "__main__":
    IPKernelApp.launch_instance(kernel_class=ScriptedKernel)
