"""Predicts the step time of an HLO program on a named device.

    compiled = jax.jit(step).lower(*arguments).compile()
    prediction = hloroof.predict_step_time(compiled, "tpu_v5e")
    prediction.step_seconds, prediction.bound, prediction.memory.fits

A program may be HLO text, the path of a dump, the bytes of a file, a ``hloroof.Module``, or what JAX traced, lowered, compiled or
exported; ``help(hloroof.parse)`` lists all forms. The prediction answers further questions: ``explain``, ``what_if``, ``diff``,
``sweep``, ``html``, ``trace``. ``hloroof.jax.compile_for`` compiles for a TPU or a GPU that is not there, and
``hloroof.jax.watch`` predicts what JAX compiles, inside the compile. The package needs neither JAX nor a device. It keeps no state: any number of threads and
processes may call it, and results can be pickled.
"""

from typing import TYPE_CHECKING

from hloroof._core import __version__ as __version__

# The exports of the package are in _public. The command and the processes that compile need few of them, and loading _public takes
# five times as long as starting Python, so it is loaded when a name is first used.
if TYPE_CHECKING:
    from hloroof._public import *
else:

    def __getattr__(name):
        if name.startswith("_") and name != "__all__":  # the modules of the package, which Python then imports
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        import hloroof._public as public

        globals().update({each: getattr(public, each) for each in public.__all__}, __all__=public.__all__)
        try:
            return globals()[name]
        except KeyError:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None

    def __dir__():
        return sorted({*globals(), *__getattr__("__all__")})
