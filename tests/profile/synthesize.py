"""Writes XSpace files of TPUs and GPUs as the profiler would, from a list of ops, with the field numbers of the published
xplane.proto (openxla/xla xla/tsl/profiler/protobuf). What the planes, lines and stats are called is in xplane_schema.cc.

    python3 synthesize.py tpu OUT [SEED]     two hosts with two devices each; one of them is a straggler
    python3 synthesize.py gpu OUT [SEED]     one host with two GPUs and two streams each
"""

from __future__ import annotations

import pathlib
import random
import struct
import sys
import zlib

NS = 1000  # ps


def varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value)


def text(field: int, value: str | bytes) -> bytes:
    data = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(data)) + data


class Plane:
    def __init__(self, name: str) -> None:
        self.name = name
        self.lines: list[bytes] = []
        self.events: dict[tuple, int] = {}
        self.stats: dict[str, int] = {}
        self.own_stats = b""

    def stat_id(self, name: str) -> int:
        return self.stats.setdefault(name, len(self.stats) + 1)

    def stat(self, field: int, name: str, value: int | str | float | bytes) -> bytes:
        key = number(1, self.stat_id(name))
        if isinstance(value, str):
            return text(field, key + text(5, value))
        if isinstance(value, bytes):
            return text(field, key + text(6, value))
        if isinstance(value, float):
            return text(field, key + varint(2 << 3 | 1) + struct.pack("<d", value))
        return text(field, key + number(3 if value >= 0 else 4, value))

    def metadata(self, name: str, display: str = "", **stats: int | str | float | bytes) -> int:
        key = (name, display, tuple(sorted(stats.items())))
        return self.events.setdefault(key, len(self.events) + 1)

    def event(self, metadata: int, begin: int, duration: int, **stats: int | str | float) -> bytes:
        out = number(1, metadata) + number(2, begin) + number(3, duration)
        return text(4, out + b"".join(self.stat(4, name, value) for name, value in stats.items()))

    def line(self, index: int, name: str, timestamp_ns: int, events: list[bytes]) -> None:
        self.lines.append(number(1, index) + text(2, name) + number(3, timestamp_ns) + b"".join(events))

    def plane_stat(self, name: str, value: int | str | float) -> None:
        self.own_stats += self.stat(6, name, value)

    def write(self, index: int) -> bytes:
        out = number(1, index) + text(2, self.name) + b"".join(text(3, line) for line in self.lines)
        for (name, display, stats), key in self.events.items():
            value = number(1, key) + text(2, name) + (text(4, display) if display else b"")
            value += b"".join(self.stat(5, stat, given) for stat, given in stats)
            out += text(4, number(1, key) + text(2, value))
        out += self.own_stats
        for name, key in self.stats.items():
            out += text(5, number(1, key) + text(2, number(1, key) + text(2, name)))
        return out


def space(planes: list[Plane], host: str) -> bytes:
    return b"".join(text(1, plane.write(i)) for i, plane in enumerate(planes)) + text(4, host)


# The ops of a step: name, text, category, microseconds, ops nested in it.
TPU_OPS = [
    ("copy-start.1", "(f32[8], f32[8], u32[]) copy-start(f32[8] %p)", "copy-start", 1, []),
    ("fusion.1", "bf16[512,512] fusion(bf16[512,512] %p), kind=kOutput", "convolution fusion", 300, []),
    (
        "while.1",
        "(s32[], f32[8]) while((s32[], f32[8]) %t)",
        "while",
        420,
        [("fusion.7", "f32[8] fusion(f32[8] %a)", "loop fusion", 80), ("fusion.8", "f32[8] fusion(f32[8] %b)", "loop fusion", 50)] * 3,
    ),
    ("copy-done.1", "f32[8] copy-done((f32[8], f32[8], u32[]) %copy-start.1)", "copy-done", 40, []),
    ("all-reduce.1", "f32[512] all-reduce(f32[512] %fusion.1)", "all-reduce", 120, []),
    ("fusion.2", "f32[512,512] fusion(f32[512,512] %fusion.1), kind=kLoop", "loop fusion", 60, []),
]
PROGRAM = 1234567890123


def tpu_plane(device: int, slow: float, seed: random.Random, steps: int = 3) -> Plane:
    plane = Plane(f"/device:TPU:{device}")
    plane.plane_stat("device_type_string", "TPU v5 lite")
    plane.plane_stat("peak_teraflops_per_second", 197.0)
    plane.plane_stat("peak_hbm_bw_gigabytes_per_second", 819.0)
    modules, ops, transfers, marks = [], [], [], []
    module = plane.metadata(f"jit_step({PROGRAM})")
    now = 1000 * NS

    def op(name: str, instruction: str, category: str, begin: int, duration: int) -> bytes:
        key = plane.metadata(
            f"%{name} = {instruction}", name, hlo_category=category, program_id=PROGRAM, symbol_id=zlib.crc32(name.encode()), tf_op="jit(step)/" + name
        )
        return plane.event(key, begin, duration)

    for step in range(steps):
        begin = now
        copy_begin = 0
        for name, instruction, category, microseconds, nested in TPU_OPS:
            microseconds = microseconds * 1000 * NS + seed.randrange(0, 500 * NS)
            if category in ("loop fusion", "convolution fusion"):
                microseconds = int(microseconds * slow)
            if name == "all-reduce.1":  # the others wait for the slow one
                microseconds = int(microseconds * (1 if slow > 1 else 1.5))
            ops.append(op(name, instruction, category, now, microseconds))
            inner = now + 500 * NS
            for child, child_text, child_category, child_us in nested:
                length = child_us * 1000 * NS + seed.randrange(0, 100 * NS)
                ops.append(op(child, child_text, child_category, inner, length))
                inner += length + 200 * NS
            if name == "copy-start.1":
                copy_begin = now
            now += microseconds
            if name == "copy-done.1":
                transfers.append(op("copy-start.1", TPU_OPS[0][1], "async", copy_begin, now - copy_begin))
            now += seed.randrange(100, 900) * NS
        modules.append(plane.event(module, begin, now - begin, run_id=step + 1))
        marks.append(plane.event(plane.metadata(str(step)), begin, now - begin, step_num=step))
        now += 50_000 * NS
    plane.line(1, "Steps", 5000, marks)
    plane.line(2, "XLA Modules", 5000, modules)
    plane.line(3, "XLA Ops", 5000, ops)
    plane.line(4, "Async XLA Ops", 5000, transfers)
    return plane


GPU_OPS = [
    ("gemm_fusion_dot.1", ["triton_gemm"], 300),
    ("loop_fusion.2", ["loop_fusion_2"], 50),
    ("cublas-gemm.3", ["cutlass_split", "cutlass_reduce"], 120),
    ("all-reduce-start.1", ["ncclDevKernel_AllReduce_Sum_f32_RING_LL"], 90),
]


def gpu_plane(device: int, seed: random.Random, steps: int = 3) -> Plane:
    plane = Plane(f"/device:GPU:{device}")
    plane.plane_stat("compute_cap_major", 8)
    plane.plane_stat("compute_cap_minor", 0)
    plane.plane_stat("core_count", 108)
    plane.plane_stat("memory_size", 85_000_000_000)
    plane.plane_stat("device_vendor", "Nvidia")
    streams: dict[int, list[bytes]] = {13: [], 14: []}
    now = 2000 * NS
    for step in range(steps):
        for name, kernels, microseconds in GPU_OPS:
            stream = 14 if name.startswith("all-reduce") else 13
            for kernel in kernels:
                duration = microseconds * 1000 * NS // len(kernels) + seed.randrange(0, 900 * NS)
                key = plane.metadata(kernel)
                streams[stream].append(
                    plane.event(
                        key,
                        now,
                        duration,
                        hlo_op=name,
                        hlo_module="jit_step",
                        program_id=42,
                        correlation_id=step,
                        tf_op=name,  # by which XProf groups the kernels
                        kernel_details="regs:32 static_shared:0 dynamic_shared:0 grid:1,1,1 block:128,1,1 occ_pct:50",
                    )
                )
                now += duration + seed.randrange(100, 2000) * NS
        now += 20_000 * NS
    for stream, events in streams.items():
        plane.line(stream, f"Stream #{stream}(Compute)", 7000, events)
    return plane


def modules_plane(name: str, program: int, hlo: bytes) -> Plane:
    plane = Plane("/host:metadata")
    plane.metadata(f"{name}({program})", **{"Hlo Proto": text(1, hlo)})
    return plane


def main() -> None:
    kind, out = sys.argv[1], pathlib.Path(sys.argv[2])
    seed = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    hlo = pathlib.Path(sys.argv[4]).read_bytes() if len(sys.argv) > 4 else None
    out.mkdir(parents=True, exist_ok=True)
    hosts = {"host-a": [0, 1], "host-b": [0, 1]} if kind == "tpu" else {"gpu-host": [0, 1]}
    for host, devices in hosts.items():
        planes = [modules_plane("jit_step", PROGRAM if kind == "tpu" else 42, hlo)] if hlo else []
        for device in devices:
            slow = 1.3 if (host, device) == ("host-b", 1) else 1
            planes.append(tpu_plane(device, slow, seed) if kind == "tpu" else gpu_plane(device, seed))
        (out / f"{host}.xplane.pb").write_bytes(space(planes, host))


if __name__ == "__main__":
    main()
