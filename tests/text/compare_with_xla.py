"""Runs the cases in cases/*.txt through XLA's parser: compare_with_xla.py FILE... (needs jaxlib).

Prints every case on which XLA disagrees with the case, and exits with 1 if there is one. A case marked accept* or reject* must
differ.
"""

import os
import sys

from jaxlib import _hlo


def cases(path):
    with open(path, encoding="utf-8", newline="") as file:
        text = file.read()
    for part in text.split("### ")[1:]:
        head, _, body = part.partition("\n")
        fields = [field.strip() for field in head.split("|")]
        if fields[2] == "body":
            body = "HloModule m\n\nENTRY e {\n" + body + "}\n"
        yield fields[0], fields[1], body


def verdict(text):
    """accept, reject or abort, and XLA's message. Uses a separate process, because some texts make XLA abort."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        try:
            _hlo.hlo_module_from_text(text)
            answer = "accept\n"
        except Exception as error:  # the binding raises whatever the status was mapped to
            answer = "reject\n" + str(error)
        os.write(write, answer.encode("utf-8", "replace")[:60000])
        os._exit(0)
    os.close(write)
    answer = b""
    while piece := os.read(read, 65536):
        answer += piece
    os.close(read)
    os.waitpid(child, 0)
    word, _, message = answer.decode("utf-8", "replace").partition("\n")
    return word or "abort", message


def main():
    differences = 0
    for path in sys.argv[1:]:
        for name, expected, text in cases(path):
            got, message = verdict(text)
            same = (got == "accept") == expected.startswith("accept")
            if same == expected.endswith("*"):
                differences += 1
                print(f"{os.path.basename(path)} {name}: {expected}, XLA: {got}\n    {message[:600]}")
    sys.exit(1 if differences else 0)


if __name__ == "__main__":
    main()
