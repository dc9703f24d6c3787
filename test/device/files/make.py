"""Writes the files of this folder with NumPy, safetensors and pyarrow: what other programs' files look like. Needed again only to add one: pip install numpy pandas safetensors pyarrow."""
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

# Tables of pandas and pyarrow: of text, and Parquet in every packing that is read, and one that is not. endless.parquet is pages.parquet, damaged by the fuzz test.
import pandas as pd
import pyarrow.parquet as pq
people = pd.DataFrame({
    "name": ["Ann", 'Bo "the tall"', "Çelik, Dış", "two\nlines"], "age": [31, 44, 28, 60], "height": [1.62, 1.9, None, 1.7],
    "member": [True, False, True, True], "id": np.array([9007199254740993, -1, 0, 2**62], "i8"),
})
people.to_csv(here / "people.csv", index=False)
people.to_csv(here / "people.tsv", index=False, sep="\t", lineterminator="\r\n")
np.savetxt(here / "matrix.csv", values / 4, delimiter=",")
rows = 1000
numbers = pa.table({
    "i8": pa.array(np.arange(rows) % 100 - 50, pa.int8()), "u16": pa.array(np.arange(rows) * 60, pa.uint16()), "i32": pa.array(np.arange(rows) - 500, pa.int32()),
    "u32": pa.array(np.arange(rows) + 2**32 - rows, pa.uint32()), "i64": pa.array(np.arange(rows) - 2**53, pa.int64()), "u64": pa.array([2**64 - 1 - i for i in range(rows)], pa.uint64()),
    "f16": pa.array((np.arange(rows) / 8).astype("f2")), "f32": pa.array(np.sin(np.arange(rows)), pa.float32()), "f64": pa.array(np.cos(np.arange(rows)), pa.float64()),
    "flag": pa.array(np.arange(rows) % 3 == 0), "word": pa.array([f"word {i % 7}" for i in range(rows)]), "pair": pa.array([[i, -i] for i in range(rows)], pa.list_(pa.float32())),
    "gaps": pa.array([None if i % 10 == 0 else i / 2 for i in range(rows)], pa.float64()), "holes": pa.array([None if i % 10 == 0 else i for i in range(rows)], pa.int32()),
})
for packing in ["none", "snappy", "gzip", "brotli", "zstd", "lz4"]:
    pq.write_table(numbers.slice(0, 100), here / f"{packing}.parquet", compression=packing, row_group_size=60)
pq.write_table(numbers, here / "pages.parquet", compression="zstd", data_page_version="2.0", data_page_size=1024, use_dictionary=["word"], column_encoding={"i32": "DELTA_BINARY_PACKED", "f32": "BYTE_STREAM_SPLIT"})
pq.write_table(pa.table({"x": pa.array([1, 2], pa.int32()), "when": pa.array([1, 2], pa.timestamp("us")), "day": pa.array([1, 2], pa.date32()), "bytes": pa.array([b"a", b"b"]), "both": pa.array([{"a": 1}, {"a": 2}]), "ragged": pa.array([[1], [1, 2]]), "price": pa.array(["1.25", "2.50"]).cast(pa.decimal128(9, 2)), "text": pa.array(["a", None])}), here / "kinds.parquet")

# Pictures of Pillow and pypng, of pixels whose formula the tests have, too: pip install pillow pypng.
import png
from PIL import Image
pictures = here / "pictures"
pictures.mkdir(exist_ok=True)
width, height = 13, 9
at = lambda x, y, channel, most: (x * 7 + y * 13 + channel * 50 + x * y) * (1 if most < 256 else 257) % (most + 1)
def pixels(channels, bits):
    return [[at(x, y, channel, 2**bits - 1) for x in range(width) for channel in range(channels)] for y in range(height)]
colours = [(at(place, 1, 0, 255), at(place, 2, 1, 255), at(place, 3, 2, 255)) for place in range(16)]
for interlaced in [False, True]:
    kind = "-interlaced" if interlaced else ""
    for bits in [1, 2, 4, 8, 16]:
        png.Writer(width, height, greyscale=True, bitdepth=bits, interlace=interlaced).write(open(pictures / f"grey-{bits}{kind}.png", "wb"), pixels(1, bits))
    for bits in [1, 2, 4]:
        png.Writer(width, height, palette=colours[: 2**bits], bitdepth=bits, interlace=interlaced).write(open(pictures / f"palette-{bits}{kind}.png", "wb"), pixels(1, bits))
    png.Writer(width, height, palette=[colour + (17 * place,) for place, colour in enumerate(colours)], bitdepth=8, interlace=interlaced).write(open(pictures / f"palette-clear{kind}.png", "wb"), pixels(1, 4))
    for bits in [8, 16]:
        png.Writer(width, height, greyscale=True, alpha=True, bitdepth=bits, interlace=interlaced).write(open(pictures / f"grey-opacity-{bits}{kind}.png", "wb"), pixels(2, bits))
        png.Writer(width, height, greyscale=False, bitdepth=bits, interlace=interlaced).write(open(pictures / f"colours-{bits}{kind}.png", "wb"), pixels(3, bits))
        png.Writer(width, height, greyscale=False, alpha=True, bitdepth=bits, interlace=interlaced).write(open(pictures / f"colours-opacity-{bits}{kind}.png", "wb"), pixels(4, bits))
png.Writer(width, height, greyscale=True, bitdepth=4, transparent=5).write(open(pictures / "grey-seen-through.png", "wb"), pixels(1, 4))
png.Writer(width, height, greyscale=False, bitdepth=8, transparent=(0, 50, 100)).write(open(pictures / "colours-seen-through.png", "wb"), pixels(3, 8))
# Filters of all kinds: smooth pictures, as Pillow packs them.
wave = np.stack([np.add.outer(2 * np.arange(48), 3 * np.arange(64)) % 256, np.multiply.outer(np.arange(48), np.arange(64)) // 12, np.full((48, 64), 90)], -1).astype("u1")
Image.fromarray(wave).save(pictures / "filters.png")
# What Pillow reads of a .jpg is beside it as .png. Smooth, with colours that are the same all over where they are stored at half the size.
smooth = np.stack([np.add.outer(2 * np.arange(45), np.arange(61)), np.add.outer(np.arange(45), 3 * np.arange(61)), np.add.outer(4 * np.arange(45), np.zeros(61))], -1).astype("u1")
tinted = (np.add.outer(np.arange(45), 2 * np.arange(61))[..., None] + np.array([60, 20, 0])).astype("u1")
def jpeg(name, picture, **options):
    Image.fromarray(picture).save(pictures / f"{name}.jpg", **options)
    Image.open(pictures / f"{name}.jpg").save(pictures / f"{name}-read.png")
jpeg("plain", smooth, quality=92, subsampling=0)
jpeg("progressive", smooth, quality=92, subsampling=0, progressive=True)
jpeg("halved", tinted, quality=95, subsampling=2)
jpeg("grey", smooth[..., 0], quality=92)
jpeg("restarts", smooth, quality=92, subsampling=0, restart_marker_blocks=3)
jpeg("not-transformed", smooth, quality=92, keep_rgb=True)
for orientation in range(1, 9):
    exif = Image.Exif()
    exif[0x0112] = orientation
    Image.fromarray(smooth).save(pictures / f"turned-{orientation}.jpg", quality=92, subsampling=0, exif=exif)
from PIL import ImageOps
for orientation in range(1, 9):
    ImageOps.exif_transpose(Image.open(pictures / f"turned-{orientation}.jpg")).save(pictures / f"turned-{orientation}-read.png")
Image.fromarray(smooth).convert("CMYK").save(pictures / "inks.jpg", quality=92)
for kind in ["webp", "gif", "bmp", "tiff"]:
    Image.fromarray(smooth).resize((8, 8)).save(pictures / f"other.{kind}")
