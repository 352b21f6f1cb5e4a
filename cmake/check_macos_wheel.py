"""Reads the module of a wheel for macOS on arm64, which nothing here can run, and fails unless macOS would load it.

    python cmake/check_macos_wheel.py MODULE VERSION      VERSION: the oldest macOS that the wheel is for

The format is that of Apple's mach-o/loader.h, mach-o/nlist.h and, of the signature, cs_blobs.h of its kernel.
"""

import hashlib
import pathlib
import struct
import sys

# What every macOS has.
SYSTEM = {"/usr/lib/libSystem.B.dylib", "/System/Library/Frameworks/CoreFoundation.framework/Versions/A/CoreFoundation"}
MAGIC, ARM64, DYNAMIC_LIBRARY, MACOS = 0xFEEDFACF, 0x0100000C, 6, 1
LOAD_DYLIB, SYMTAB, SEGMENT, SIGNATURE, BUILD_VERSION, DYLD_INFO = 0xC, 0x2, 0x19, 0x1D, 0x32, 0x80000022
EXTERNAL, TYPE, UNDEFINED = 0x01, 0x0E, 0
BINDS = {0x90, 0xA0, 0xB0, 0xC0}
NUMBERS = {0x20: 1, 0x60: 1, 0x70: 1, 0x80: 1, 0xA0: 1, 0xC0: 2}  # how many follow an operation of the bindings
LOOKED_UP_AT_RUN_TIME = -2
CODE_DIRECTORY, SHA256 = 0xFADE0C02, 2
PAGE = 1 << 14

module, oldest = sys.argv[1:]
data = pathlib.Path(module).read_bytes()
problems = []


def text(start):
    return data[start : data.index(b"\0", start)].decode()


def commands():
    """The load commands: their kind, and where they begin."""
    position = 32  # after the header
    for _ in range(struct.unpack_from("<I", data, 16)[0]):
        kind, size = struct.unpack_from("<2I", data, position)
        yield kind, position
        position += size


def exports(start):
    """The external symbols that the file defines, of the command SYMTAB."""
    table, count, names = struct.unpack_from("<3I", data, start + 8)
    for name, kind, _, _, _ in struct.iter_unpack("<IBBHQ", data[table : table + 16 * count]):
        if kind & EXTERNAL and kind & TYPE != UNDEFINED:
            yield text(names + name)


def bindings(start):
    """The symbols that the loader binds at once or when they are first called: name and library, of the command DYLD_INFO."""
    offsets = struct.unpack_from("<10I", data, start + 8)
    for position, size in (offsets[2:4], offsets[6:8]):
        end, name, library = position + size, None, None
        while position < end:
            operation, number = data[position] & 0xF0, data[position] & 0x0F
            position += 1
            if operation == 0x10:
                library = number
            elif operation == 0x30:
                library = number - 16 if number else 0
            elif operation == 0x40:
                name = text(position)
                position = data.index(b"\0", position) + 1
            elif operation in BINDS:
                yield name, library
            for _ in range(NUMBERS.get(operation, 0)):  # LEB128, of which only that of 0x20 matters here
                first = position
                while data[position] & 0x80:
                    position += 1
                position += 1
                if operation == 0x20:
                    library = sum((byte & 0x7F) << 7 * index for index, byte in enumerate(data[first:position]))


def wrong_pages(start):
    """How many pages do not have the hash of the signature; None without one of SHA-256."""
    begin, _ = struct.unpack_from("<2I", data, start + 8)
    for slot in range(struct.unpack_from(">I", data, begin + 8)[0]):
        blob = begin + struct.unpack_from(">I", data, begin + 16 + 8 * slot)[0]
        magic, _, _, _, hashes, _, _, count, limit = struct.unpack_from(">9I", data, blob)
        length, kind, _, shift = struct.unpack_from("4B", data, blob + 36)
        if magic == CODE_DIRECTORY and kind == SHA256:
            stored = (data[at : at + length] for at in range(blob + hashes, blob + hashes + count * length, length))
            pages = (data[at : min(at + (1 << shift), limit)] for at in range(0, limit, 1 << shift))
            return sum(hashlib.sha256(page).digest() != expected for page, expected in zip(pages, stored, strict=True))
    return None


if struct.unpack_from("<2I", data, 0) != (MAGIC, ARM64) or struct.unpack_from("<I", data, 12)[0] != DYNAMIC_LIBRARY:
    sys.exit(f"macOS wheel: {module} is no dynamic library for arm64")
needed, exported, bound, version, signed = [], set(), [], None, None
for kind, start in commands():
    if kind == LOAD_DYLIB:
        needed.append(text(start + struct.unpack_from("<I", data, start + 8)[0]))
    elif kind == BUILD_VERSION:
        platform, minimum = struct.unpack_from("<2I", data, start + 8)
        version = f"{minimum >> 16}.{minimum >> 8 & 0xFF}" if platform == MACOS else None
    elif kind == SEGMENT:
        address, _, offset, size = struct.unpack_from("<4Q", data, start + 24)
        if address % PAGE or offset % PAGE or offset + size > len(data):
            problems.append(f"has a segment that does not begin at a page or end in the file: {text(start + 8)}")
    elif kind == SYMTAB:
        exported.update(exports(start))
    elif kind == DYLD_INFO:
        bound += bindings(start)
    elif kind == SIGNATURE:
        signed = wrong_pages(start)
for name, library in bound:
    if library == LOOKED_UP_AT_RUN_TIME:
        if not name.startswith(("_Py", "__Py")):
            problems.append(f"has no library for {name}")
    elif not 1 <= library <= len(needed):
        problems.append(f"takes {name} from library {library} of {len(needed)}")
problems += [f"needs {name}" for name in needed if name not in SYSTEM]
if version != oldest:
    problems.append(f"needs macOS {version}")
if signed != 0:
    problems.append("has no valid signature, and macOS on arm64 loads nothing without one")
if not bound:
    problems.append("binds nothing that this program can read")
if "_PyInit__core" not in exported:
    problems.append("does not export PyInit__core")
if problems:
    sys.exit("\n".join(f"macOS wheel: {module} {problem}" for problem in problems))
print(f"wheels:   arm64, macOS {version} and later, signed without an identity; needs {', '.join(needed)} and Python")
