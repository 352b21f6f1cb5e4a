#!/usr/bin/env python3
"""Counts the slots that the final code of each elementwise operation takes on a TPU, for `vector.weights` of its device file.

    opcode_slots.py HLOROOF GENERATION [--only REGEX]        (GENERATION: v2, v3, v4, v5e, v5p, v6e or 7x)

Needs a Python with jax and libtpu, and no TPU. Prints, for each operation, the instructions of the ALUs and of the
transcendental unit for a register of 32-bit elements. Elements of 16 bits come as they are kept in memory: what converts
them to 32 bits and back, on generations whose ALUs do not take them, is among the instructions.
"""

import re
import tempfile

from compile_grid import GENERATIONS, arguments_of, chip_of, empty, ops_of_code

SHAPE = (512, 1024)
REGISTERS = SHAPE[0] * SHAPE[1] / 1024


def operations():
    """Yields (name, function, types of the operands)."""
    import jax.numpy as jnp
    from jax import lax

    unary = dict(
        acos=lax.acos, acosh=lax.acosh, asin=lax.asin, asinh=lax.asinh, atanh=lax.atanh, cbrt=lax.cbrt, ceil=lax.ceil, cosine=lax.cos,
        cosh=lax.cosh, erf=lax.erf, exponential=lax.exp, exponential_minus_one=lax.expm1, floor=lax.floor,
        is_finite=lambda x: lax.is_finite(x).astype(jnp.float32), log=lax.log, log_plus_one=lax.log1p, logistic=lax.logistic,
        reciprocal=lambda x: 1 / x, round=lax.round, round_to_even=lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN),
        rsqrt=lax.rsqrt, sign=lax.sign, sine=lax.sin, sinh=lax.sinh, sqrt=lax.sqrt, tan=lax.tan, tanh=lax.tanh)
    binary = dict(add=lax.add, atan2=lax.atan2, divide=lax.div, maximum=lax.max, multiply=lax.mul, power=lax.pow, remainder=lax.rem)
    integer = dict(
        add=lax.add, divide=lax.div, maximum=lax.max, multiply=lax.mul, remainder=lax.rem, shift_right_logical=lax.shift_right_logical)
    constant = dict(
        divide_by_7=lambda x: lax.div(x, jnp.asarray(7, x.dtype)), divide_by_8=lambda x: lax.div(x, jnp.asarray(8, x.dtype)),
        remainder_of_7=lambda x: lax.rem(x, jnp.asarray(7, x.dtype)), remainder_of_8=lambda x: lax.rem(x, jnp.asarray(8, x.dtype)),
        popcnt=lax.population_count, count_leading_zeros=lax.clz, sign=lambda x: lax.sign(x.astype(jnp.int32)))
    exponents = (-1.5, -0.75, -0.25, 0.25, 0.75, 1.25, 1.5, 2.5, 3.5, 0.3333, 2.7)  # the first nine take roots
    powers = {f"power_by_{by}": (lambda by: lambda x: lax.pow(x, jnp.asarray(by, x.dtype)))(by) for by in exponents}
    for dtype in ("float32", "bfloat16"):
        for name, function in powers.items():
            yield f"{name} {dtype}", function, (dtype,)
        for name, function in unary.items():
            yield f"{name} {dtype}", function, (dtype,)
        for name, function in binary.items():
            yield f"{name} {dtype}", function, (dtype, dtype)
    for dtype in ("int32", "uint32", "int8"):
        for name, function in integer.items():
            yield f"{name} {dtype}", function, (dtype, dtype)
        if dtype != "int8":
            for name, function in constant.items():
                yield f"{name} {dtype}", function, (dtype,)
    types = dict(
        f32="float32", bf16="bfloat16", f16="float16", f8e4m3fn="float8_e4m3fn", f8e5m2="float8_e5m2", s32="int32", u32="uint32",
        s16="int16", s8="int8", u8="uint8", s4="int4", u4="uint4", pred="bool")
    for before, dtype in types.items():
        for after, to in types.items():
            if before != after and ({before, after} & {"f32", "bf16", "s32"}):
                yield f"convert-{before}-{after}", (lambda to: lambda x: lax.convert_element_type(x, to))(to), (dtype,)


def main():
    arguments = arguments_of(__doc__)
    with tempfile.TemporaryDirectory() as dump:
        chip = chip_of(arguments.generation, dump)
        import jax

        on_chip = jax.sharding.SingleDeviceSharding(chip)
        device = GENERATIONS[arguments.generation][1]
        print(f"{'operation':28} {'ALU':>7} {'transcendental':>15}   for a register of 1024 elements, {device}")
        for name, function, types in operations():
            if not re.search(arguments.only, name):
                continue
            empty(dump)
            operands = [jax.ShapeDtypeStruct(SHAPE, dtype, sharding=on_chip) for dtype in types]
            try:
                jax.jit(function, out_shardings=on_chip).lower(*operands).compile()
            except Exception as error:  # a generation that lacks a type
                print(f"{name:28} {str(error).splitlines()[0][:90]}")
                continue
            ops = ops_of_code(arguments.hloroof, arguments.generation, dump)
            counted = [{u["unit"]: u["instructions"] for u in op["units"]} for op in ops if op["busy_cycles"]]
            if not counted:
                print(f"{name:28} the code cannot be followed")
                continue
            most = max(counted, key=lambda units: units["VALU"] + units["EUP"] + units["VST"])
            print(f"{name:28} {most['VALU'] / REGISTERS:7.1f} {most['EUP'] / REGISTERS:15.2f}", flush=True)


if __name__ == "__main__":
    main()
