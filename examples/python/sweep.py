"""Predicts files x devices x options on a Dask cluster.

    python examples/python/sweep.py --devices tpu_v5e,tpu_v5p,tpu_v6e --set hbm.bandwidth=1.2e12 examples/*.hlo

Without --scheduler the cluster consists of the cores of this machine. The library is stateless and results can be pickled, so
a task is a plain function call. The worker that predicts a file also reads it.
"""

import argparse
import itertools
import pathlib

from dask.distributed import Client, as_completed

import hloroof


def predict(path: str, device: str, changes: dict) -> dict:
    """One row. A file that cannot be predicted gives a row with its error, so that it does not end the sweep."""
    row = {"file": pathlib.Path(path).name, "device": device, "set": changes}
    try:
        p = hloroof.predict_step_time(pathlib.Path(path), device, set=changes)
    except hloroof.Error as error:
        return {**row, "error": str(error).splitlines()[0]}
    return {**row, "seconds": p.step_seconds, "bound": p.bound, "fits": p.memory.fits, "unknown": p.coverage.unknown}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--devices", default="tpu_v5e,tpu_v5p,tpu_v6e")
    parser.add_argument("--set", action="append", default=[], help="a change to try beside none: hbm.bandwidth=1.2e12")
    parser.add_argument("--scheduler", help="address of a running cluster")
    arguments = parser.parse_args()

    options = [{}]
    for change in arguments.set:
        name, value = change.split("=")
        options.append({name: float(value)})
    tasks = list(itertools.product(arguments.files, arguments.devices.split(","), options))

    with Client(arguments.scheduler or None, **({} if arguments.scheduler else {"dashboard_address": None})) as client:
        futures = [client.submit(predict, *task, pure=False) for task in tasks]
        rows = [future.result() for future in as_completed(futures)]

    print(f"{'step ms':>10}  {'bound':8} {'device':10} file")
    for row in sorted(rows, key=lambda row: (row["file"], row["device"], str(row["set"]))):
        changes = "".join(f"  {name}={value:g}" for name, value in row["set"].items())
        if "error" in row:
            print(f"{'-':>10}  {'-':8} {row['device']:10} {row['file']}{changes}: {row['error']}")
        else:
            print(f"{row['seconds'] * 1e3:10.3f}  {row['bound']:8} {row['device']:10} {row['file']}{changes}")


if __name__ == "__main__":
    main()
