"""Reads the module of a wheel for macOS, which nothing here can run, and fails unless macOS would load it.

    python cmake/check_macos_wheel.py MODULE VERSION      VERSION: the oldest macOS that the wheel is for; needs lief of PyPI
"""

import sys

import lief

# What every macOS has.
SYSTEM = {"/usr/lib/libSystem.B.dylib", "/System/Library/Frameworks/CoreFoundation.framework/Versions/A/CoreFoundation"}

module, oldest = sys.argv[1:]
binary = lief.MachO.parse(module).at(0)
needed = {command.name for command in binary.libraries if command.command != lief.MachO.LoadCommand.TYPE.ID_DYLIB}
version = ".".join(str(number) for number in binary.build_version.minos[:2])
# Symbols of Python are looked for in the process that loads the module; what else is undefined comes from the libraries above.
loose = sorted(
    symbol.name
    for symbol in binary.imported_symbols
    if not (symbol.has_binding_info and symbol.binding_info.has_library) and not symbol.name.startswith(("_Py", "__Py"))
)
problems = [f"needs {name}" for name in sorted(needed - SYSTEM)] + [f"no library has {name}" for name in loose]
if binary.header.cpu_type != lief.MachO.Header.CPU_TYPE.ARM64:
    problems.append("is not for arm64")
if version != oldest:
    problems.append(f"needs macOS {version}")
if not binary.has_code_signature:
    problems.append("is not signed, and macOS on arm64 loads nothing that is not")
if not any(symbol.name == "_PyInit__core" for symbol in binary.exported_symbols):
    problems.append("does not export PyInit__core")
if problems:
    sys.exit("\n".join(f"macOS wheel: {module} {problem}" for problem in problems))
print(f"wheels:   arm64, macOS {version} and later, signed for this machine alone; needs {', '.join(sorted(needed))}")
