"""Asks the processor for rows of a batch ahead of their turn.

A batch larger than the cache is read from memory row by row, and one row's work is too short to
hide the wait for the next one. Asking some rows ahead hides it. Nothing else depends on it.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from marias_env.core.jit import JIT_DISABLED, jit

_declare: Any = cgutils.get_or_insert_function
AHEAD = 8
"""Rows between the one at work and the one asked for."""
_LINE = 64


@intrinsic
def _ask(typingctx: Any, rows: Any, i: Any) -> Any:
    """Prefetches the lines of `rows[i]`, a record of a one-dimensional array."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        size = context.get_abi_sizeof(context.get_data_type(signature.args[0].dtype))
        byte = ir.IntType(8).as_pointer()
        flag = ir.IntType(32)
        function = _declare(
            builder.module,
            ir.FunctionType(ir.VoidType(), [byte, flag, flag, flag]),
            "llvm.prefetch.p0i8",
        )
        base = builder.bitcast(array.data, byte)
        start = builder.mul(arguments[1], context.get_constant(types.intp, size))
        for offset in range(0, size, _LINE):
            at = builder.add(start, context.get_constant(types.intp, offset))
            # To write, with much locality, as data.
            builder.call(function, [builder.gep(base, [at]), flag(1), flag(3), flag(1)])
        return context.get_dummy_value()

    return types.void(rows, types.intp), build


_compiled_ask: Any = _ask  # Numba leaves out the first argument

if JIT_DISABLED:

    def ask_ahead(rows: Any, i: Any) -> None:
        """Does nothing: the interpreter is slower than any memory."""

else:

    @jit
    def ask_ahead(rows: Any, i: Any) -> None:
        """Asks for the row `AHEAD` rows behind row `i`, if there is one."""
        if i + AHEAD < rows.shape[0]:
            _compiled_ask(rows, i + AHEAD)
