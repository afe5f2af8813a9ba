"""
Ten million rows from a file
============================

Insurers find some frauds and miss others. The claims are too many for memory; the frauds that were proven are few.
This tutorial fits a Parquet file without loading it, and writes a probability for every claim into another file.

It runs with 300,000 rows, so that it takes seconds. ``PUGAM_ROWS=10000000 python examples/ten_million_rows.py`` is
the real thing; nothing else changes.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from pugam import PUGAM

ROWS = int(os.environ.get("PUGAM_ROWS", "300000"))
BATCH = 100_000
scratch = tempfile.TemporaryDirectory()
FOLDER = Path(scratch.name)

# %%
# A large file
# ------------
# Claims are drawn in batches and written as they come, so that memory is no limit here, either. Their true kind is
# thrown away, but for the count of frauds that nobody has proven: an answer to compare with. The effects are strong
# by choice: with weaker ones, the same rows leave pi weakly determined.


def draw_claims(n, rng):
    """Return a table of n claims, and how many unproven frauds are among them."""
    amount = np.exp(rng.normal(6.5, 1, n))
    age = rng.uniform(18, 90, n)
    days = rng.exponential(60, n)
    earlier = rng.poisson(0.8, n)
    region = rng.choice(["east", "north", "south", "west"], n)
    log_odds = (
        -5.8
        + 1.8 * (np.log(amount) - 6.5)
        + 4 * np.exp(-days / 15)
        + 1.5 * np.exp(-(((age - 30) / 12) ** 2))
        + 1.2 * np.minimum(earlier, 4)
        + np.where(region == "south", 1.0, 0.0)
    )
    fraud = rng.random(n) < 1 / (1 + np.exp(-log_odds))
    proven = fraud & (rng.random(n) < 0.3)
    columns = {"amount": amount, "age": age, "days": days, "earlier": earlier, "region": region}
    return pa.table({**columns, "proven": proven.astype(np.int8)}), int((fraud & ~proven).sum())


rng = np.random.default_rng(0)
claims, hidden, unproven = FOLDER / "claims.parquet", 0, 0
with pq.ParquetWriter(claims, draw_claims(1, rng)[0].schema) as writer:
    for _ in range(max(ROWS // BATCH, 1)):
        batch, found = draw_claims(min(BATCH, ROWS), rng)
        writer.write_table(batch)
        hidden += found
        unproven += batch.num_rows - batch["proven"].to_numpy().sum()
print(f"{pq.read_metadata(claims).num_rows:,} rows, {claims.stat().st_size / 1e6:.0f} MB")

# %%
# First a sample
# --------------
# Whether the model makes sense, a sample says sooner. If rows are in random order, one batch is a sample; if not,
# take some rows of every batch, as here. ``diagnose()`` goes over the rows some dozens of times: this is the place
# for it.

parts = [part.to_pandas().sample(frac=20_000 / ROWS, random_state=0) for part in pq.ParquetFile(claims).iter_batches()]
sample = pd.concat(parts, ignore_index=True)
pilot = PUGAM().fit(sample.drop(columns="proven"), sample["proven"])
print(pilot.diagnose())
print(pilot.formula_)

# %%
# Then all rows
# -------------
# The label is a column of the file and is given by name. ``engine="stream"`` reads the file in parts; the default,
# ``"auto"``, does so by itself above 1 GiB of numbers.

start = time.perf_counter()
model = PUGAM(engine="stream").fit(claims, "proven")
print(f"pi = {model.pi_interval()}, truth {hidden / unproven:.4f}")
print(f"{time.perf_counter() - start:.0f} s")

# %%
# The first fit on a machine also compiles its kernels, which takes some seconds, once. The model is the one that
# ``engine="memory"`` gives, up to rounding: a solver that needs only sums over rows does not mind where they are
# taken.

if ROWS <= 1_000_000:
    in_memory = PUGAM(engine="memory").fit(claims, "proven")
    print(f"difference in pi: {abs(model.pi_ - in_memory.pi_):.0e}")

# %%
# With many rows bands are narrow, and effects show their shape.

fig, axes = plt.subplots(1, 5, figsize=(14, 3), layout="constrained")
model.plot(axes=axes)
plt.show()

# %%
# A probability for every row
# ---------------------------
# ``predict_proba`` takes tables. For a file there is the command line, which reads and writes in batches:
#
# .. code-block:: console
#
#    $ pugam predict model.json claims.parquet --out scored.parquet
#
# From a script, the same:

model.save(FOLDER / "model.json")
command = ["predict", "model.json", "claims.parquet", "--out", "scored.parquet", "--quiet"]
subprocess.run([sys.executable, "-m", "pugam", *command], cwd=FOLDER, check=True)

scored = pq.ParquetFile(FOLDER / "scored.parquet")
print(scored.schema_arrow.names)

# %%
# The most suspicious of the unproven claims, also found batch by batch:

first = None
for part in scored.iter_batches():
    unproven_claims = part.to_pandas().query("proven == 0")
    first = pd.concat([first, unproven_claims]).nlargest(5, "p_positive")
print(first.round(3).to_string(index=False))

# %%
# Time and memory
# ---------------
# The benchmark of the repository fits ten smooth features on two cores (``benchmarks/results/stream.md``): ten
# million rows take 11.4 s with 1,410 MiB at the peak, where up to 1 GiB of the file is kept between passes, and 14.4
# s with 570 MiB where nothing is kept. From a million rows on, time grows with the rows. Memory hardly does once that
# gigabyte is full: one byte more for each label.
#
# The peak of the process that wrote the probabilities, libraries included, as the operating system counts it:

if sys.platform.startswith("linux"):
    import resource

    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"{peak:.0f} MiB")

# %%
# When to use something else
# --------------------------
# * **memory**: rows that fit; nothing to think about, and ``fit`` takes data frames.
# * **stream**: one machine, a file of any size. What you have just seen.
# * **dask**: rows that lie on a cluster already. ``PUGAM().fit(ddf, "proven")``; on one machine it is slower than a
#   stream.
# * **gpu**: hundreds of refits (a bootstrap of a large table, a simulation study), or tens of millions of rows that
#   fit into the memory of the device.
#
# The page :doc:`Large data </docs/large_data>` has the numbers behind this.

scratch.cleanup()
