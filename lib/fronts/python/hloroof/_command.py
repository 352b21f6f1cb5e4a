"""The command ``hloroof`` that pip installs: the C++ command, which is in the extension module, ``doctor`` and ``radar``."""

from __future__ import annotations

import os
import signal
import sys

from hloroof import _core


def main() -> int:
    """Runs the command with the arguments of the process, and returns its exit code. An interrupt, or a pipe that nobody reads any
    longer, ends the process as it ends the C++ command, without a traceback."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["radar"] and len(arguments) > 1 and not {"-h", "--help", "--help-all"} & set(arguments):
        from hloroof.radar.__main__ import main as radar

        return radar(arguments[1:])  # which ends its compilers at an interrupt
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # and not ignored, as of a command in the background
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    if arguments[:1] == ["doctor"]:
        given = [part for argument in arguments[1:] for part in argument.split("=", 1)]
        if given in ([], ["--format", "text"], ["--format", "json"]):
            return _print_doctor(given[1:] == ["json"])
    # Whatever else follows `doctor` or `radar` is a request for help or an error, and the C++ command has the words for it.
    return _core.run_command([os.fsencode(argument) for argument in arguments])


def _print_doctor(as_json: bool) -> int:
    import json

    from hloroof._doctor import doctor

    found = doctor()
    text = json.dumps(found.to_dict(), indent=2) if as_json else str(found)
    try:
        sys.stdout.buffer.write(os.fsencode(text + "\n"))
        sys.stdout.buffer.flush()
    except (OSError, AttributeError):  # a full disk, or no standard output
        print("hloroof: cannot write the result to standard output; is the disk full?", file=sys.stderr)
        os._exit(1)  # Python would try again, and say so
    return 0
