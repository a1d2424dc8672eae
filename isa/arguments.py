"""Reading the operands of one instruction, each by the kind its table entry declares."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from isa.diagnostics import Fault
from isa.errors import nearest
from isa.expressions import parse_expression
from isa.lexer import Cursor, Token
from isa.memory import ELEMENTS
from isa.operands import FILES, REGISTER_NUMBERS, Address, Argument, Operand, register_name
from isa.spec import Spec
from isa.values import INT_MAX, INT_MIN

FILE_NAMES = {
    "x": "an integer register (x0..x31)",
    "f": "a double register (f0..f31)",
    "v": "a vector register (v0..v31)",
    "p": "a predicate register (p0..p7)",
}
_SCALES = (1, 2, 4, 8)
_MEMORY_FORM = "offset(base), offset(base, index) or offset(base, index*scale)"


@dataclass(frozen=True, slots=True)
class Label:
    """A label operand before all labels are known."""

    token: Token


@dataclass(frozen=True, slots=True)
class Names:
    """What names mean at a point of the text."""

    constants: Mapping[str, int]
    aliases: Mapping[str, int]
    arrays: Mapping[str, str]
    lanes: int


def shown_signature(spec: Spec) -> str:
    """Return an instruction's operands as a reader of error messages knows them."""
    forms = {"mem": "offset(base, index*scale)", "vmem": "offset(base, vindex*scale)"}
    return ", ".join(forms.get(operand.kind, operand.name) for operand in spec.operands)


def parse_argument(cursor: Cursor, operand: Operand, names: Names, spec: Spec) -> Argument | Label:
    """Read one operand to the end of its tokens."""
    if operand.is_register:
        argument: Argument | Label = _parse_register(cursor, operand, names, spec)
    else:
        argument = _PARSERS[operand.kind](cursor, names, spec)
    cursor.finish()
    return argument


def _register_at(cursor: Cursor, names: Names) -> int | None:
    """Read a register name, an alias or ``letter{expression}``; None if there is none."""
    token = cursor.current
    if token is None or token.kind != "name":
        return None
    lowered = token.text.lower()
    if token.text in names.aliases or lowered in REGISTER_NUMBERS:
        cursor.take()
        return names.aliases.get(token.text, REGISTER_NUMBERS.get(lowered, 0))
    following = cursor.position + 1
    if lowered in FILES and following < len(cursor.tokens) and cursor.tokens[following].text == "{":
        cursor.position += 2
        number = parse_expression(cursor, names.constants)
        cursor.expect("}", "after the register number")
        first, count = FILES[lowered]
        if not 0 <= number < count:
            raise Fault(
                token.column,
                len(token.text),
                f"there is no register {lowered}{number}; the last one is {lowered}{count - 1}",
            )
        return first + number
    return None


def _parse_register(cursor: Cursor, operand: Operand, names: Names, spec: Spec) -> int:
    token = cursor.current
    wanted = FILE_NAMES[operand.kind]
    takes = f"'{spec.mnemonic}' takes ({shown_signature(spec)})"
    if token is None:
        raise cursor.fault(f"{takes}; operand {operand.name} is missing")
    register = _register_at(cursor, names)
    width = max(1, (cursor.tokens[cursor.position - 1].column - token.column) + 1)
    width = max(width, len(token.text))
    if register is None:
        known = [*names.aliases, *REGISTER_NUMBERS]
        hint = nearest(token.text, known) if token.kind == "name" else ""
        raise Fault(
            token.column,
            width,
            f"{takes}; operand {operand.name} is {wanted}, found '{token.text}'{hint}",
        )
    first, count = FILES[operand.kind]
    if not first <= register < first + count:
        kind = FILE_NAMES[register_name(register)[0]].split(" (")[0]
        raise Fault(
            token.column,
            width,
            f"{takes}; operand {operand.name} is {wanted}, but '{token.text}' is {kind}",
        )
    last = register + names.lanes - 1
    if operand.group and last >= first + count:
        raise Fault(
            token.column,
            width,
            f"'{spec.mnemonic}' reads {names.lanes} registers from here on, "
            f"and {operand.kind}{count - 1} is the last",
        )
    return register


def _bounded(low: int, high: int, what: str) -> Callable[[Cursor, Names, Spec], int]:
    def parse(cursor: Cursor, names: Names, spec: Spec) -> int:
        limit = high if what != "lane" else names.lanes - 1
        return _parse_bounded(cursor, names, (low, limit), f"'{spec.mnemonic}' takes a {what}")

    return parse


def _parse_bounded(cursor: Cursor, names: Names, bounds: tuple[int, int], what: str) -> int:
    token = cursor.current
    value = parse_expression(cursor, names.constants)
    low, high = bounds
    if not low <= value <= high:
        column = token.column if token else cursor.end
        width = len(token.text) if token else 1
        span = f"from {low} to {high}"
        hint = ""
        if high < value < 2 * (high + 1) and low == -(high + 1):
            hint = f"; for its bits write {value - 2 * (high + 1)}"
        raise Fault(column, width, f"{what} {span}, and this is {value}{hint}")
    return value


def _parse_immediate(cursor: Cursor, names: Names, spec: Spec) -> int:
    bounds = (INT_MIN, INT_MAX) if spec.mnemonic == "li" else (-(2**31), 2**31 - 1)
    return _parse_bounded(cursor, names, bounds, f"'{spec.mnemonic}' takes a constant")


def parse_float(cursor: Cursor, names: Names) -> float:
    """Read a double: a decimal number, an integer expression, ``inf`` or ``nan``."""
    start = cursor.position
    sign = -1.0 if cursor.accept("-") else 1.0
    token = cursor.current
    if token is not None and token.kind == "float":
        cursor.take()
        return sign * float(token.text)
    if token is not None and token.text in {"inf", "nan"}:
        cursor.take()
        return sign * float(token.text)
    cursor.position = start
    value = parse_expression(cursor, names.constants)
    if value == 0:
        return 0.0 * sign
    return float(value)


def _parse_float(cursor: Cursor, names: Names, _spec: Spec) -> float:
    return parse_float(cursor, names)


def _parse_label(cursor: Cursor, _names: Names, spec: Spec) -> Label:
    token = cursor.current
    if token is None or token.kind != "name":
        raise cursor.fault(f"'{spec.mnemonic}' needs a label here")
    cursor.take()
    if cursor.current is not None and cursor.current.text in {"+", "-"}:
        raise cursor.fault("a label takes no offset; put a label where the branch should go")
    return Label(token)


def _parse_array(cursor: Cursor, names: Names, spec: Spec) -> str:
    token = cursor.current
    if token is None or token.kind != "name":
        raise cursor.fault(f"'{spec.mnemonic}' needs the name of an array here")
    cursor.take()
    if token.text not in names.arrays:
        hint = nearest(token.text, names.arrays)
        raise Fault(token.column, len(token.text), f"no array is named '{token.text}'{hint}")
    return token.text


def _parse_memory(letter: str) -> Callable[[Cursor, Names, Spec], Address]:
    """Return a parser of memory operands whose index is in register file ``letter``."""

    def parse(cursor: Cursor, names: Names, spec: Spec) -> Address:
        displacement = 0
        if cursor.current is None:
            raise cursor.fault(f"'{spec.mnemonic}' needs an address: {_MEMORY_FORM}")
        if not _opens_address(cursor):
            bounds = (-(2**31), 2**31 - 1)
            displacement = _parse_bounded(cursor, names, bounds, "an offset is")
        cursor.expect("(", f"of the address: {_MEMORY_FORM}")
        base = _address_register(cursor, names, "x", "base")
        index, scale = None, 1
        if cursor.accept(","):
            index = _address_register(cursor, names, letter, "index")
            if cursor.accept("*"):
                scale = _parse_scale(cursor, names)
        elif letter == "v":
            raise cursor.fault("expected ',' and a vector register: each lane has its own address")
        cursor.expect(")", "at the end of the address")
        return Address(base, index, scale, displacement)

    return parse


def _opens_address(cursor: Cursor) -> bool:
    """Whether the parenthesis at the cursor, if any, is the address itself, not an offset."""
    depth = 0
    for position in range(cursor.position, len(cursor.tokens)):
        text = cursor.tokens[position].text
        depth += (text == "(") - (text == ")")
        if depth == 0:
            is_last = position == len(cursor.tokens) - 1
            return cursor.tokens[cursor.position].text == "(" and is_last
    return cursor.tokens[cursor.position].text == "("


def _address_register(cursor: Cursor, names: Names, letter: str, role: str) -> int:
    token = cursor.current
    register = _register_at(cursor, names)
    first, count = FILES[letter]
    if token is None or register is None or not first <= register < first + count:
        found = f", found '{token.text}'" if token else ""
        column, width = (token.column, len(token.text)) if token else (cursor.end, 1)
        hint = ""
        if token is not None and token.kind == "name" and register is None:
            hint = nearest(token.text, [*names.aliases, *REGISTER_NUMBERS])
        raise Fault(column, width, f"the {role} of an address is {FILE_NAMES[letter]}{found}{hint}")
    return register


def _parse_scale(cursor: Cursor, names: Names) -> int:
    token = cursor.current
    scale = parse_expression(cursor, names.constants)
    if scale not in _SCALES:
        column, width = (token.column, len(token.text)) if token else (cursor.end, 1)
        raise Fault(column, width, f"an index is scaled by 1, 2, 4 or 8, not by {scale}")
    return scale


def parse_element(cursor: Cursor) -> str:
    """Read an element type."""
    token = cursor.take()
    if token.text not in ELEMENTS:
        hint = nearest(token.text, ELEMENTS)
        raise Fault(token.column, len(token.text), f"unknown element type '{token.text}'{hint}")
    return token.text


_PARSERS: dict[str, Callable[[Cursor, Names, Spec], Argument | Label]] = {
    "imm": _parse_immediate,
    "shift": _bounded(0, 63, "shift"),
    "lane": _bounded(0, 0, "lane"),
    "float": _parse_float,
    "label": _parse_label,
    "array": _parse_array,
    "mem": _parse_memory("x"),
    "vmem": _parse_memory("v"),
}
