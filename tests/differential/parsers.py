"""The two parsers under comparison: ours in text_tool and XLA's in jaxlib, each in a separate process.

Some texts make XLA's parser abort or run for long. Its process is then replaced, and the answer is `abort` or `hang`.
"""

import os
import pathlib
import select
import signal
import subprocess
import sys

SKIPPED = 77  # the exit code by which ctest knows a skipped test


def dumps(folders):
    """The dumps below the folders, in order. Exits as skipped if there are none."""
    files = sorted(path for folder in folders for path in pathlib.Path(folder).rglob("*.hlo"))
    if not files:
        print("skipped: no dumps in " + " ".join(folders))
        sys.exit(SKIPPED)
    return files


def import_jaxlib():
    """jaxlib's HLO bindings. Exits as skipped without them."""
    try:
        from jaxlib import _hlo
    except ImportError:
        print("skipped: this Python has no jaxlib with HLO bindings")
        sys.exit(SKIPPED)
    return _hlo


class Ours:
    def __init__(self, tool):
        self.tool = tool
        self.process = None

    def ask(self, what, text):
        """(True, the answer's bytes) or (False, message)."""
        if self.process is None:
            self.process = subprocess.Popen([self.tool], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.process.stdin.write(b"%s %d\n" % (what.encode(), len(text)) + text)
        self.process.stdin.flush()
        head = self.process.stdout.readline().split()
        if not head:
            raise RuntimeError("our parser died of\n" + text.decode("utf-8", "replace"))
        answer = self.process.stdout.read(int(head[1]))
        return (True, answer) if head[0] == b"ok" else (False, answer.decode("utf-8", "replace"))


class Xla:
    SECONDS = 60

    def __init__(self):
        self.hlo = import_jaxlib()
        self.child = None

    def ask(self, what, text):
        """Returns (verdict, text). The verdict is accept, reject, abort or hang. The text is the message, or the form that
        `what` requests: the canonical form for print, the default form for default, or nothing."""
        if self.child is None:
            self._start()
        self.to_child.write(b"%s %d\n" % (what.encode(), len(text)) + text)
        self.to_child.flush()
        ready, _, _ = select.select([self.from_child], [], [], self.SECONDS)
        head = self.from_child.readline().split() if ready else None
        if not head:
            self._stop()
            return ("hang" if head is None else "abort"), ""
        return head[0].decode(), self.from_child.read(int(head[1])).decode("utf-8", "replace")

    def _start(self):
        request_out, request_in = os.pipe()
        answer_out, answer_in = os.pipe()
        self.child = os.fork()
        if self.child == 0:
            os.close(request_in)
            os.close(answer_out)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # XLA's stack trace when it aborts
            self._serve(os.fdopen(request_out, "rb"), os.fdopen(answer_in, "wb"))
            os._exit(0)
        os.close(request_out)
        os.close(answer_in)
        self.to_child = os.fdopen(request_in, "wb")
        self.from_child = os.fdopen(answer_out, "rb")

    def _stop(self):
        os.kill(self.child, signal.SIGKILL)
        os.waitpid(self.child, 0)
        self.child = None
        try:
            self.to_child.close()
        except BrokenPipeError:
            pass
        self.from_child.close()

    def _serve(self, requests, answers):
        while head := requests.readline().split():
            text = requests.read(int(head[1])).decode("utf-8", "surrogateescape")
            try:
                module = self.hlo.hlo_module_from_text(text)
                options = self.hlo.HloPrintOptions.canonical()
                # XLA replaces elided elements by random values.
                options.print_large_constants = "{...}" not in text
                options.print_backend_config = True
                if head[0] == b"default":
                    options = self.hlo.HloPrintOptions()
                verdict, answer = b"accept", "" if head[0] == b"verdict" else module.to_string(options)
            except Exception as error:  # the binding raises whatever the status was mapped to
                verdict, answer = b"reject", str(error)
            data = answer.encode("utf-8", "replace")
            answers.write(b"%s %d\n" % (verdict, len(data)) + data)
            answers.flush()
