"""Runs a notebook through the real kernel with nbclient and prints each output as it comes. Exits 1 and names the cell when one fails.
With --write behind the path the file then has the outputs, without times of cells and other facts of the run."""
import json
import os
import re
import signal
import sys

# Until there is a kernel to end, a signal just ends this process.
signal.signal(signal.SIGINT, signal.SIG_DFL)

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, DeadKernelError


def in_color(text):
    """Colors are for terminals."""
    return text if sys.stdout.isatty() else re.sub("\x1b\\[[0-9;]*m", "", text)


class PrintingClient(NotebookClient):
    """Prints what the kernel publishes at the moment it arrives."""

    def process_message(self, msg, cell, cell_index):
        kind, content = msg["msg_type"], msg["content"]
        if kind == "stream":
            (sys.stderr if content["name"] == "stderr" else sys.stdout).write(content["text"])
        elif kind in ("execute_result", "display_data"):
            print(in_color(content["data"].get("text/plain", f"<{', '.join(content['data'])}>")))
        elif kind == "error":
            print(in_color("\n".join(content["traceback"])))
        sys.stdout.flush()
        return super().process_message(msg, cell, cell_index)


def heading(cell, index):
    first = next((line for line in cell.source.splitlines() if line.strip()), "")
    return f"── cell {index + 1}: {first}"


def main(path, is_written=False):
    try:
        # A byte order mark, which some editors write, is no part of the text.
        with open(path, encoding="utf-8-sig") as file:
            notebook = nbformat.read(file, as_version=4)
    except (OSError, UnicodeDecodeError) as error:
        sys.exit(f"The notebook {path} cannot be read: {error}")
    except (json.JSONDecodeError, nbformat.reader.NotJSONError):
        sys.exit(f"{path} is not a notebook: the file is not JSON.")
    except (KeyError, AttributeError, TypeError, nbformat.NBFormatError, nbformat.ValidationError) as error:
        sys.exit(f"{path} is not a notebook of format 4: {error}")
    client = PrintingClient(notebook, timeout=None, kernel_name="warpcell", resources={"metadata": {"path": os.path.dirname(os.path.abspath(path))}})
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with client.setup_kernel():
        try:
            run_cells(client, notebook)
        finally:
            # Ending the kernel is not to be stopped.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
    if is_written:
        write(notebook, path)


def write(notebook, path):
    """As JSON of one form, so that the next run of the same cells changes nothing but what they print."""
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
    with open(path, "w", encoding="utf-8") as file:
        file.write(nbformat.writes(notebook, version=4) + "\n")


def run_cells(client, notebook):
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type != "code":
            continue
        print(heading(cell, index), flush=True)
        try:
            client.execute_cell(cell, index)
        except CellExecutionError as error:
            sys.exit(f"Cell {index + 1} failed: {error.ename}: {error.evalue}")
        except DeadKernelError:
            sys.exit(f"Cell {index + 1} failed: the kernel died.")
        except KeyboardInterrupt:
            print(f"Cell {index + 1} was stopped.", file=sys.stderr)
            sys.exit(130)


if __name__ == "__main__":
    try:
        main(sys.argv[1], sys.argv[2:] == ["--write"])
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        # Whoever read the output has gone; Python must not try to write the rest.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
