"""Modules of one instruction each, cut out of a module that jaxlib has printed with operand shapes."""
import re

BRACKETS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
INSTRUCTION = re.compile(r"^\s+(?:ROOT )?(%\S+) = ")
COMPUTATION = re.compile(r"^(?:ENTRY )?(%[^\s(]+) ?\(.*\{$")


def split_top_level(text):
    """The parts of `text` between commas outside brackets."""
    parts, depth, begin = [], 0, 0
    for i, c in enumerate(text):
        depth += BRACKETS.get(c, 0)
        if c == "," and depth == 0:
            parts.append(text[begin:i].strip())
            begin = i + 1
    last = text[begin:].strip()
    return parts + [last] if last else parts


def balanced(text, begin):
    """One past the bracket that closes the one at `begin`."""
    depth = 0
    for i in range(begin, len(text)):
        depth += BRACKETS.get(text[i], 0)
        if depth == 0:
            return i + 1
    raise ValueError("open bracket")


class Instruction:
    def __init__(self, line):
        match = INSTRUCTION.match(line)
        self.name = match.group(1)
        rest = line[match.end():]
        shape_end = balanced(rest, 0) if rest.startswith("(") else rest.index(" ")
        self.shape = rest[:shape_end]
        rest = rest[shape_end:].lstrip()
        opening = rest.index("(")
        self.opcode = rest[:opening]
        closing = balanced(rest, opening)
        self.arguments = rest[opening + 1:closing - 1]
        self.attributes = rest[closing:]
        self.operands = []  # (shape, name)
        if self.opcode not in ("constant", "parameter"):
            for operand in split_top_level(re.sub(r"/\*.*?\*/", "", self.arguments)):
                shape, _, name = operand.rpartition(" ")
                self.operands.append((shape.strip(), name))

    def text(self, root=False):
        return f"  {'ROOT ' if root else ''}{self.name} = {self.shape} {self.opcode}({self.arguments}){self.attributes}"


def computations(text):
    """The computations of a printed module by name, each a list of lines."""
    found, lines = {}, None
    for line in text.splitlines():
        match = COMPUTATION.match(line)
        if lines is None and match:
            lines = found.setdefault(match.group(1), [])
            line = line.removeprefix("ENTRY ")
        if lines is not None:
            lines.append(line)
            if line.startswith("}"):
                lines = None
    return found


def called(text, known):
    """The names of computations in `text`, each once."""
    return list(dict.fromkeys(name for name in re.findall(r"%[\w.\-]+", text) if name in known))


def closure(attributes, known):
    """The texts of all computations that `attributes` refers to, directly or indirectly, callees first."""
    order, stack = [], [(name, False) for name in called(attributes, known)]
    while stack:
        name, done = stack.pop()
        if name in order:
            continue
        if done:
            order.append(name)
            continue
        stack.append((name, True))
        body = "\n".join(known[name][1:])
        stack.extend((callee, False) for callee in called(body, known) if callee != name)
    return ["\n".join(known[name]) for name in order]


def anonymous(text):
    """`text` with its names numbered in order of appearance, which identifies texts that differ only in names."""
    numbers = {}
    return re.sub(r"%[\w.\-]+", lambda m: "%" + str(numbers.setdefault(m.group(0), len(numbers))), text)


def single_instruction_modules(text):
    """Yields (what, module text) for every instruction of a printed module that does work. Operands become parameters,
    except for the start of an asynchronous operation, which its done needs."""
    known = computations(text)
    for lines in known.values():
        instructions = {}
        for line in lines[1:]:
            if INSTRUCTION.match(line):
                instruction = Instruction(line)
                instructions[instruction.name] = instruction
        for instruction in instructions.values():
            if instruction.opcode == "parameter":
                continue
            body, parameters, chain = [], {}, [instruction]
            while chain:
                at = chain.pop()
                body.insert(0, at)
                for shape, name in at.operands:
                    operand = instructions.get(name)
                    if operand is not None and re.search(r"-(start|update)$|^(send|recv)$", operand.opcode):
                        if operand not in body and operand not in chain:
                            chain.append(operand)
                    else:
                        parameters.setdefault(name, shape)
            head = [f"  {name} = {shape} parameter({i})" for i, (name, shape) in enumerate(parameters.items())]
            tail = [at.text(root=at is instruction) for at in body]
            callees = closure(" ".join(at.attributes for at in body), known)
            yield instruction.opcode, "\n".join(
                ["HloModule m", ""] + callees + ["", "ENTRY %one {"] + head + tail + ["}", ""]
            )
