"""Writes the files of this folder with NumPy, safetensors and pyarrow: what other programs' files look like. Needed again only to add one: pip install numpy safetensors pyarrow."""
import io, pathlib
import numpy as np
import pyarrow as pa
import pyarrow.feather
from numpy.lib import format as npy
from safetensors.numpy import save_file

here = pathlib.Path(__file__).parent
values = np.arange(6).reshape(2, 3)

for code in ["f2", "f4", "f8", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]:
    signed = values - 2 if code[0] != "u" else values
    np.save(here / f"{code}.npy", (signed / 2 if code[0] == "f" else signed).astype("<" + code))
np.save(here / "b1.npy", values % 2 == 0)
for code in ["f4", "i2", "u8"]:
    np.save(here / f"big-{code}.npy", values.astype(">" + code))
np.save(here / "columns.npy", np.asfortranarray(values.astype("<f4")))
np.save(here / "scalar.npy", np.float64(2.5))
np.save(here / "empty.npy", np.zeros((0, 3), "<f4"))
np.save(here / "objects.npy", np.array([{}], dtype=object), allow_pickle=True)
np.save(here / "complex.npy", np.ones(2, "c8"))
np.save(here / "records.npy", np.zeros(2, [("a", "<f4"), ("b", "<i4")]))
for version in [(2, 0), (3, 0)]:
    with open(here / f"version-{version[0]}.npy", "wb") as file:
        npy.write_array(file, values.astype("<f4"), version=version)

named = {"a": values.astype("<f4"), "b/c": np.array([1, 2, 3], ">i4")}
np.savez(here / "stored.npz", **named)
np.savez_compressed(here / "deflated.npz", **named)

save_file({"x": values.astype("f4"), "flags": values % 2 == 0, "long": values.astype("i8"), "half": values.astype("f2"), "none": np.zeros((0, 2), "f4")}, here / "numpy.safetensors", {"made by": "NumPy"})

table = pa.table({
    "f": pa.array([0.5, 1.5, -2.0], pa.float32()), "d": pa.array([1.0, 2.0, 3.0], pa.float64()), "h": pa.array(np.array([1, 2, 3], "f2")), "i": pa.array([1, -2, 3], pa.int64()),
    "u": pa.array([1, 2, 255], pa.uint8()), "b": pa.array([True, False, True]), "v": pa.FixedSizeListArray.from_arrays(pa.array([1, 2, 3, 4, 5, 6], pa.float32()), 2),
})
pa.feather.write_feather(table, here / "table.arrow", compression="uncompressed")
with pa.OSFile(str(here / "table.arrows"), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
    writer.write_table(table, max_chunksize=2)
pa.feather.write_feather(table, here / "packed.arrow", compression="lz4")
with pa.OSFile(str(here / "gaps.arrow"), "wb") as sink:
    gaps = pa.table({"ok": pa.array([1, 2], pa.int32()), "gap": pa.array([1.0, None], pa.float32()), "text": pa.array(["a", "b"])})
    with pa.ipc.new_file(sink, gaps.schema) as writer:
        writer.write_table(gaps)
