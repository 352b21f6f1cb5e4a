"""Counts the compiles that the advice of `hloroof mcp` saves an agent, as a table.

    python bench/agent_loop.py [--hloroof COMMAND] [--dumps FOLDER] [--programs NAME...] [--steps]

The agent is this script: it asks the server as any client would, and decides by rules that know nothing of the programs
(agent_programs.py). It compiles the program as it finds it, reads the findings and what bounds the step, changes one choice of a
kind that these suggest, compiles, and keeps the change if the predicted step is shorter and fits the memory. It stops when they
suggest nothing that it has not tried.

Two others compile the same programs: one tries the same single changes without advice, in the order in which the choices are
written, until none makes the step shorter; one compiles every variant. `best` is the least of all predictions, not a measurement.

The Python needs JAX and libtpu; no TPU. FOLDER keeps the dumps, and what is there is not compiled again (nor counted less).
"""

import argparse
import json
import os
import pathlib
import subprocess
import tempfile

os.environ.update(TPU_SKIP_MDS_QUERY="1", ALLOW_MULTIPLE_LIBTPU_LOAD="1", JAX_PLATFORMS="cpu")

import agent_programs

# What a finding of `lint` suggests to change; the remedies of `hloroof lint --codes` say the same in words.
FINDINGS = {
    "memory-over-capacity": ("remat", "donation", "sharding"),
    "exposed-communication": ("sharding",), "crossover-not-reached": ("sharding",), "gather-then-cut": ("sharding",),
    "redundant-compute": ("sharding",), "replicated-parameter": ("sharding",), "reshard": ("sharding",),
    "layout-change": ("layout",), "loop-carry-copy": ("loop", "layout", "donation"), "padding-waste": ("layout",),
    "narrow-update": ("layout",), "unfused-update": ("donation", "loop"), "latency-bound-loop": ("loop",),
    "donation-missed": ("donation",),
    "block-rereads": ("blocks",), "kernel-refetch": ("blocks",), "kernel-small-blocks": ("blocks",),
    "kernel-vmem-room": ("blocks",), "kernel-half-filled": ("blocks",), "matrix-underfilled": ("layout", "blocks"),
    "matrix-in-f32": ("dtype",), "needless-f32": ("dtype",), "repeated-upcast": ("dtype",),
}  # fmt: skip
# What is worth a change by what bounds the step, as examples/agent/SKILL.md says.
BOUNDS = {"ici": ("sharding",), "hbm": ("dtype", "layout"), "mxu": ("remat", "dtype"), "latency": ("loop", "blocks")}
LEAST_SHARE = 0.02  # of the step, below which a finding is not followed


class Server:
    """`hloroof mcp` on a pair of pipes."""

    def __init__(self, command, folder):
        self.process = subprocess.Popen([command, "mcp", str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.count = 0
        client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "agent_loop", "version": "1"}}
        self.ask("initialize", client)
        self.send({"method": "notifications/initialized"})
        self.tools = {tool["name"]: tool["inputSchema"] for tool in self.ask("tools/list", {})["tools"]}
        self.calls = 0

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def ask(self, method, params):
        self.count += 1
        self.send({"id": self.count, "method": method, "params": params})
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            raise RuntimeError(answer["error"]["message"])
        return answer["result"]

    def call(self, tool, **arguments):
        unknown = set(arguments) - set(self.tools[tool]["properties"])
        assert not unknown, f"{tool} takes no {unknown}"
        self.calls += 1
        result = self.ask("tools/call", {"name": tool, "arguments": {"format": "json", "max_chars": 10**6, **arguments}})
        if result.get("isError"):
            raise RuntimeError(result["content"][0]["text"])
        return result["structuredContent"]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Variants:
    """The variants of a program: compiles one when it is asked for, and predicts it with the tools of the server."""

    def __init__(self, program, server, folder):
        self.program, self.server, self.folder, self.known = program, server, folder, {}

    def file(self, values):
        return "_".join([self.program.name, *map(str, values.values())]) + ".hlo"

    def seconds(self, values):
        """The predicted step; infinite for what the compiler refuses or what does not fit."""
        file = self.file(values)
        if file not in self.known:
            text = self.text(values)
            if text.startswith("refused"):
                self.known[file] = float("inf"), None
            else:
                point = self.server.call("sweep", file=[file], device=[self.program.device])["points"][0]
                self.known[file] = point["step_seconds"] if point["fits"] else float("inf"), point["bound"]
        return self.known[file][0]

    def text(self, values):
        path = self.folder / self.file(values)
        if not path.exists():
            try:
                text = self.program.lower(**values).compile().as_text()
            except Exception as error:  # out of memory, of HBM or of VMEM
                text = f"refused: {error}"
                if "RESOURCE_EXHAUSTED" not in text and "memory" not in text.lower():
                    raise
            path.write_text(text)
        return path.read_text()

    def advice(self, values):
        """The kinds of change that are worth a try, the most time at stake first."""
        if self.text(values).startswith("refused"):
            return ["blocks"] if "vmem" in self.text(values).lower() else list(FINDINGS["memory-over-capacity"])
        found = self.server.call("lint", file=[self.file(values)], device=[self.program.device])
        found = found.get("results", [found])[0]["files"][0]
        kinds = []
        for one in sorted(found["diagnostics"], key=lambda one: -(one["seconds_at_stake"] or 0)):
            is_memory = one["code"] in ("memory-over-capacity", "donation-missed", "replicated-parameter")
            if is_memory or (one["seconds_at_stake"] or 0) >= LEAST_SHARE * found["step_seconds"]:
                kinds += FINDINGS.get(one["code"], ())
        kinds += BOUNDS.get(self.known[self.file(values)][1], ())
        return list(dict.fromkeys(kinds))


def changes(program, values, kinds):
    """The variants one change away, of the first kind first."""
    for kind in kinds:
        for choice in program.choices:
            if choice.kind != kind:
                continue
            at = choice.values.index(values[choice.name])
            others = [choice.values[i] for i in (at + 1, at - 1) if 0 <= i < len(choice.values)] if choice.is_ordered else choice.values
            for value in others:
                if value != values[choice.name]:
                    yield {**values, choice.name: value}


def search(variants, advise, say=lambda line: None):
    """The best variant found, and how many were compiled. `advise` returns the kinds to try for a variant."""
    program = variants.program
    best = {choice.name: choice.values[0] for choice in program.choices}
    tried = {variants.file(best)}
    say(f"{program.name}: {best}: {1e3 * variants.seconds(best):.4g} ms")
    improved = True
    while improved:
        improved = False
        kinds = advise(best)
        say(f"  advice: {', '.join(kinds) or 'none'}")
        for candidate in changes(program, best, kinds):
            if variants.file(candidate) in tried:
                continue
            tried.add(variants.file(candidate))
            improved = variants.seconds(candidate) < variants.seconds(best)
            say(f"  {candidate}: {1e3 * variants.seconds(candidate):.4g} ms, {'kept' if improved else 'rejected'}")
            if improved:
                best = candidate
                break
    return best, len(tried)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hloroof", default="hloroof")
    parser.add_argument("--dumps", type=pathlib.Path)
    parser.add_argument("--programs", nargs="+")
    parser.add_argument("--steps", action="store_true", help="print what the agent tries")
    given = parser.parse_args()
    folder = given.dumps or pathlib.Path(tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    server = Server(given.hloroof, folder)
    total = [0, 0, 0]
    print("| program | as found | best | with advice | compiles | without advice | compiles | all variants |\n|---|---|---|---|---|---|---|---|")
    for program in agent_programs.PROGRAMS:
        if given.programs and program.name not in given.programs:
            continue
        variants = Variants(program, server, folder)
        say = print if given.steps else lambda line: None
        found, compiles = search(variants, variants.advice, say)
        every_kind = list(dict.fromkeys(choice.kind for choice in program.choices))
        plain, plain_compiles = search(variants, lambda values: every_kind)
        all_variants = program.variants()
        first, best = variants.seconds(all_variants[0]), min(map(variants.seconds, all_variants))

        def shown(values):
            return "the best" if variants.seconds(values) == best else f"{100 * (variants.seconds(values) / best - 1):+.1f} %"

        as_found = "does not fit" if first == float("inf") else f"{1e3 * first:.2f} ms"
        print(f"| {program.name} | {as_found} | {1e3 * best:.2f} ms | {shown(found)} | {compiles} | {shown(plain)} | {plain_compiles} "
              f"| {len(all_variants)} |", flush=True)  # fmt: skip
        total = [a + b for a, b in zip(total, (compiles, plain_compiles, len(all_variants)))]
    print(f"| all | | | | {total[0]} | | {total[1]} | {total[2]} |")
    server.close()


if __name__ == "__main__":
    main()
