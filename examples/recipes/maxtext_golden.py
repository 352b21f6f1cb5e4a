"""MaxText: compiles its training step for chips that are not there, and holds it to a snapshot with seconds.

    pip install maxtext[tpu] hloroof
    HLOROOF_UPDATE=1 python examples/recipes/maxtext_golden.py SNAPSHOT.json [NAME=VALUE...]     # writes it
    python examples/recipes/maxtext_golden.py SNAPSHOT.json [NAME=VALUE...]                      # compares

A golden HLO text changes with every compiler and does not say whether the change matters. The snapshot has the predicted step, memory and
collectives, and the comparison fails if one of them differs by more than its tolerance. NAME=VALUE are settings of MaxText; without any, a small model.
"""

import argparse
import os

os.environ.update(TPU_SKIP_MDS_QUERY="1", ALLOW_MULTIPLE_LIBTPU_LOAD="1", JAX_PLATFORMS="cpu", DECOUPLE_GCLOUD="TRUE")

import maxtext
from maxtext.trainers.pre_train import train_compile

import hloroof
from hloroof.testing import assert_snapshot

SMALL = [
    "base_emb_dim=2048", "base_mlp_dim=8192", "base_num_query_heads=16", "base_num_kv_heads=16", "head_dim=128",
    "base_num_decoder_layers=4", "max_target_length=2048", "per_device_batch_size=4", "vocab_size=32768",
]  # fmt: skip


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("snapshot")
    parser.add_argument("settings", nargs="*", default=SMALL)
    given = parser.parse_args()

    kept = []
    compile_step = train_compile.jit_and_compile

    def compile_and_keep(*arguments, **named):
        kept.append(compile_step(*arguments, **named))
        return kept[0]

    train_compile.jit_and_compile = compile_and_keep
    base = os.path.join(os.path.dirname(maxtext.__file__), "configs", "base.yml")
    fixed = ["compile_topology=v5e-4", "compile_topology_num_slices=1", "run_name=golden", "enable_checkpointing=false"]
    train_compile.main(["train_compile", base, *fixed, *given.settings])

    p = hloroof.predict_step_time(kept[0], "tpu_v5e:2x2")
    print(f"step {p.step_seconds * 1e3:.2f} ms, MFU {p.mfu:.1%}, peak memory {p.memory.hbm_peak_bytes / 2**30:.2f} GiB, bound by {p.bound}")
    assert_snapshot(p, given.snapshot)
    print(f"as {given.snapshot} says")


main()
