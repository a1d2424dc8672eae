"""The printer: a `Program` back to text that assembles to the same program."""

from __future__ import annotations

import math

from isa.operands import Address, Argument, Operand, register_name
from isa.program import Declaration, Instruction, Program


def print_program(program: Program) -> str:
    """Return canonical assembly text: arrays, then instructions with their labels.

    Assembling it for the same number of lanes gives an equal program, and printing that
    gives the same text. A target without a label is given one, which the program then has
    in addition.
    """
    lines = [_print_array(array) for array in program.arrays]
    labels = _labels(program)
    for number, instruction in enumerate(program.instructions):
        lines += [f"{label}:" for label in labels.get(number, [])]
        lines.append("    " + print_instruction(instruction, labels))
    lines += [f"{label}:" for label in labels.get(len(program.instructions), [])]
    return "\n".join(lines) + "\n"


def print_instruction(instruction: Instruction, labels: dict[int, list[str]] | None = None) -> str:
    """Return one instruction as text; label operands take the first name in ``labels``."""
    spec = instruction.spec
    operands = [
        _print_argument(operand, argument, labels or {})
        for operand, argument in zip(spec.operands, instruction.arguments, strict=True)
    ]
    return f"{spec.mnemonic} {', '.join(operands)}".rstrip()


def _labels(program: Program) -> dict[int, list[str]]:
    """Return the labels at each instruction, with new ones for targets that have none."""
    names: dict[int, list[str]] = {}
    for name, number in program.labels:
        names.setdefault(number, []).append(name)
    used = {name for name, _ in program.labels}
    for instruction in program.instructions:
        for operand, argument in zip(instruction.spec.operands, instruction.arguments, strict=True):
            if operand.kind == "label" and isinstance(argument, int) and argument not in names:
                name = f"L{argument}"
                while name in used:
                    name += "_"
                used.add(name)
                names[argument] = [name]
    return names


def _print_argument(operand: Operand, argument: Argument, labels: dict[int, list[str]]) -> str:
    if isinstance(argument, Address):
        return _print_address(argument)
    if operand.is_register and isinstance(argument, int):
        return register_name(argument)
    if operand.kind == "label" and isinstance(argument, int):
        return labels[argument][0] if argument in labels else f"@{argument}"
    if isinstance(argument, float):
        return print_float(argument)
    return str(argument)


def print_float(value: float) -> str:
    """Return the shortest text that reads back as the same double (NaN loses its payload)."""
    if math.isnan(value):
        return "nan" if math.copysign(1.0, value) > 0 else "-nan"
    return repr(value)


def _print_address(address: Address) -> str:
    inside = register_name(address.base)
    if address.index is not None:
        inside += f", {register_name(address.index)}"
        if address.scale != 1:
            inside += f"*{address.scale}"
    return f"{address.displacement or ''}({inside})"


def _print_array(array: Declaration) -> str:
    head = f".{array.role} {array.name}, {array.element}"
    if array.role == "array":
        return f"{head}, {array.count}"
    values = [print_float(v) if isinstance(v, float) else str(v) for v in array.values]
    return ", ".join([head, *values])
