"""Calls the C interface from Python without an extension module: ctypes_test.py LIBRARY HLO."""

import ctypes
import json
import pathlib
import sys
import threading


class Options(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("topology", ctypes.c_char_p),
        ("slices", ctypes.c_int64),
        ("partitions", ctypes.c_int64),
        ("default_trip_count", ctypes.c_int64),
        ("trip_counts", ctypes.POINTER(ctypes.c_char_p)),
        ("set", ctypes.POINTER(ctypes.c_char_p)),
        ("use_compiler_estimates", ctypes.c_int32),
        ("strict", ctypes.c_int32),
        ("allow_other_backend", ctypes.c_int32),
    ]


library = ctypes.CDLL(sys.argv[1])
library.hloroof_step_seconds.restype = ctypes.c_double
library.hloroof_step_seconds.argtypes = [ctypes.c_void_p]
library.hloroof_code_name.restype = ctypes.c_char_p
library.hloroof_free.argtypes = [ctypes.c_void_p]
library.hloroof_free_module.argtypes = [ctypes.c_void_p]
library.hloroof_free_prediction.argtypes = [ctypes.c_void_p]


def call(name, *arguments, result=ctypes.c_void_p):
    """The result of a function. Raises ValueError with the code's name and the message."""
    out, error = result(), ctypes.c_char_p()
    code = getattr(library, name)(*arguments, ctypes.byref(out), ctypes.byref(error))
    if code == 0:
        assert out and not error, name
        return out
    message = error.value.decode("utf-8")
    library.hloroof_free(error)
    assert not out, name
    raise ValueError(library.hloroof_code_name(code).decode() + ": " + message)


def text_of(pointer):
    text = ctypes.string_at(pointer).decode("utf-8")
    library.hloroof_free(pointer)
    return text


def parse(text):
    return call("hloroof_parse", text, ctypes.c_size_t(len(text)))


def fails(expected, function, *arguments):
    try:
        function(*arguments)
    except ValueError as error:
        assert str(error).startswith(expected), str(error)
        return
    raise AssertionError(f"no error; expected {expected}")


def predict(module, device=b"tpu_v5e", options=None):
    return call("hloroof_predict", module, device, options and ctypes.byref(options))


def test_mutations(hlo):
    """Cut or damaged text gives a module or an error."""
    head = hlo[hlo.index(b"ENTRY") :][:600]
    for at in range(len(head)):
        for text in (head[:at], head[:at] + bytes([head[at] ^ 0x80]) + head[at + 1 :]):
            try:
                library.hloroof_free_module(parse(text))
            except ValueError as error:
                assert str(error).startswith("INVALID_ARGUMENT: "), error


def main():
    hlo = pathlib.Path(sys.argv[2]).read_bytes()
    module = parse(hlo)
    prediction = predict(module)
    seconds = library.hloroof_step_seconds(prediction)
    result = json.loads(text_of(call("hloroof_prediction_json", prediction)))
    assert result["schema"] == "hloroof.prediction/2" and result["step_seconds"] == seconds > 0

    faster = (ctypes.c_char_p * 2)(b"hbm.bandwidth=2x", None)
    options = Options(size=ctypes.sizeof(Options), set=faster)
    fast = predict(module, options=options)
    assert library.hloroof_step_seconds(fast) < seconds
    library.hloroof_free_prediction(fast)
    options.size -= 8  # a program that was compiled with the first header, which ends with `strict`
    library.hloroof_free_prediction(predict(module, options=options))
    options.size += 16  # a newer program; what it sets is next to the struct
    longer = (ctypes.c_char * options.size)()
    ctypes.memmove(longer, ctypes.byref(options), ctypes.sizeof(Options))
    library.hloroof_free_prediction(call("hloroof_predict", module, b"tpu_v5e", longer))
    longer[options.size - 1] = 1
    fails("INVALID_ARGUMENT: options has a member", call, "hloroof_predict", module, b"tpu_v5e", longer)

    fails("NOT_FOUND: ", predict, module, b"tpu_v5x")
    fails("INVALID_ARGUMENT: device is not UTF-8", predict, module, b"tpu\xff")
    fails("INVALID_ARGUMENT: text is not UTF-8", parse, hlo.replace(b"ENTRY", b"ENTR\xc3", 1))
    fails("INVALID_ARGUMENT: ", parse, hlo[: len(hlo) // 2])

    longest = max(result["ops"], key=lambda op: op["exposed_seconds"])["name"].encode()
    texts = []

    def explain():
        texts.append(text_of(call("hloroof_explain", prediction, longest)))

    library.hloroof_free_module(module)  # the prediction keeps what it needs
    threads = [threading.Thread(target=explain) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(texts) == 4 and len(set(texts)) == 1 and "Time of one execution" in texts[0]
    library.hloroof_free_prediction(prediction)
    test_mutations(hlo)
    print(f"{seconds * 1e6:.1f} us; {len(result['ops'])} ops")


main()
