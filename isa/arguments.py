"""Reading the operands of one instruction, each by the kind its table entry declares.

=========================  ==================================================================
operand                    what to write
=========================  ==================================================================
``xd``, ``fa``, ``pg`` ..  a register of that file, an alias of one, or a computed one such as
                           ``x{4 + i}``; ``d`` and ``e`` are written, other letters are read
``xa*``                    the first of W consecutive registers
``imm``                    an integer expression of 32 bits with sign; ``li`` takes 64 bits
``shift``                  an integer expression from 0 to 63
``lane``                   an integer expression from 0 to W - 1
``float``                  a double: ``0.5``, ``-1e-9``, ``inf``, ``-nan``, or an integer
                           expression
``label``, ``array``       a name that stands anywhere in the text
``offset(base)`` ..        an address: ``8(x5)``, ``(x5, x6*8)``, ``-4(x5, x6)``; the offset is
                           an integer expression of 32 bits with sign, the scale 1, 2, 4 or 8
=========================  ==================================================================
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

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
_BEYOND = re.compile(r"([xfvp])([0-9]+)")
_SCALES = (1, 2, 4, 8)
_MEMORY_FORM = "offset(base), offset(base, index) or offset(base, index*scale)"
_VECTOR_FORM = "offset(base, vindex) or offset(base, vindex*scale)"
_INT32 = (-(2**31), 2**31 - 1)
_SPECIAL = {
    (1.0, "inf"): math.inf,
    (-1.0, "inf"): -math.inf,
    (1.0, "nan"): math.nan,
    (-1.0, "nan"): -math.nan,
}


@dataclass(frozen=True, slots=True)
class Reference:
    """A label or array operand before the whole text is known; ``kind`` says which."""

    kind: str
    token: Token


@dataclass(frozen=True, slots=True)
class Names:
    """What names mean at a point of the text."""

    constants: Mapping[str, int]
    aliases: Mapping[str, int]
    arrays: Collection[str]
    lanes: int


def shown_signature(spec: Spec) -> str:
    """Return an instruction's operands as a reader of error messages knows them."""
    forms = {"mem": "offset(base, index*scale)", "vmem": "offset(base, vindex*scale)"}
    return ", ".join(
        f"{operand.name}*" if operand.group else forms.get(operand.kind, operand.name)
        for operand in spec.operands
    )


def parse_argument(
    cursor: Cursor, operand: Operand, names: Names, spec: Spec
) -> Argument | Reference:
    """Read one operand to the end of its tokens."""
    if operand.is_register:
        argument: Argument | Reference = _parse_register_operand(cursor, operand, names, spec)
    else:
        argument = _PARSERS[operand.kind](cursor, names, spec)
    cursor.finish()
    return argument


def parse_register(cursor: Cursor, names: Names) -> int | None:
    """Read a register name, an alias or ``letter{expression}``; None if there is none."""
    token = cursor.current
    if token is None or token.kind != "name":
        return None
    lowered = token.text.lower()
    if token.text in names.aliases or lowered in REGISTER_NUMBERS:
        cursor.take()
        return names.aliases.get(token.text, REGISTER_NUMBERS.get(lowered, 0))
    beyond = _BEYOND.fullmatch(lowered)
    if beyond:
        raise token.fault(_no_register(beyond[1], beyond[2]))
    following = cursor.position + 1
    if lowered in FILES and following < len(cursor.tokens) and cursor.tokens[following].text == "{":
        return _computed_register(cursor, lowered, names)
    return None


def _computed_register(cursor: Cursor, letter: str, names: Names) -> int:
    start = cursor.position
    cursor.position += 2
    number = parse_expression(cursor, names.constants)
    cursor.expect("}", "after the register number")
    first, count = FILES[letter]
    if not 0 <= number < count:
        raise cursor.span(start, _no_register(letter, str(number)))
    return first + number


def _no_register(letter: str, number: str) -> str:
    return f"there is no register {letter}{number}; the last one is {letter}{FILES[letter][1] - 1}"


def _parse_register_operand(cursor: Cursor, operand: Operand, names: Names, spec: Spec) -> int:
    token = cursor.current
    wanted = FILE_NAMES[operand.kind]
    takes = f"'{spec.mnemonic}' takes ({shown_signature(spec)}); operand {operand.name} is"
    if token is None:
        raise cursor.fault(f"{takes} missing")
    register = parse_register(cursor, names)
    if register is None:
        hint = register_hint(token, names)
        raise token.fault(f"{takes} {wanted}, found '{token.text}'{hint}")
    first, count = FILES[operand.kind]
    if not first <= register < first + count:
        kind = FILE_NAMES[register_name(register)[0]].split(" (")[0]
        raise cursor.span(0, f"{takes} {wanted}, but '{token.text}' is {kind}")
    if operand.group and register + names.lanes > first + count:
        raise cursor.span(
            0,
            f"'{spec.mnemonic}' reads {names.lanes} registers from here on, "
            f"and {operand.kind}{count - 1} is the last",
        )
    return register


def register_hint(token: Token, names: Names) -> str:
    """Return the register or alias nearest to what was written in the place of one."""
    if token.kind != "name":
        return ""
    return nearest(token.text, [*names.aliases, *REGISTER_NUMBERS])


def _parse_bounded(cursor: Cursor, names: Names, bounds: tuple[int, int], what: str) -> int:
    start = cursor.position
    value = parse_expression(cursor, names.constants)
    low, high = bounds
    if not low <= value <= high:
        hint = ""
        if high < value < 2 * (high + 1) and low == -(high + 1):
            hint = f"; for its bits write {value - 2 * (high + 1)}"
        raise cursor.span(start, f"{what} from {low} to {high}, and this is {value}{hint}")
    return value


def _parse_immediate(cursor: Cursor, names: Names, spec: Spec) -> int:
    bounds = (INT_MIN, INT_MAX) if spec.mnemonic == "li" else _INT32
    return _parse_bounded(cursor, names, bounds, f"'{spec.mnemonic}' takes a constant")


def _parse_shift(cursor: Cursor, names: Names, spec: Spec) -> int:
    return _parse_bounded(cursor, names, (0, 63), f"'{spec.mnemonic}' takes a shift")


def _parse_lane(cursor: Cursor, names: Names, spec: Spec) -> int:
    bounds = (0, names.lanes - 1)
    return _parse_bounded(cursor, names, bounds, f"'{spec.mnemonic}' takes a lane")


def parse_float(cursor: Cursor, constants: Mapping[str, int]) -> float:
    """Read a double: a decimal number, an integer expression, ``inf`` or ``nan``."""
    start = cursor.position
    sign = -1.0 if cursor.accept("-") else 1.0
    if sign > 0:
        cursor.accept("+")
    token = cursor.current
    if token is not None and token.kind == "float":
        cursor.take()
        value = float(token.text)
        if math.isinf(value):
            raise token.fault(f"'{token.text}' is beyond the largest double; write inf")
        return sign * value
    if token is not None and (sign, token.text) in _SPECIAL:
        cursor.take()
        return _SPECIAL[sign, token.text]
    cursor.position = start
    number = parse_expression(cursor, constants)
    return 0.0 * sign if number == 0 else float(number)


def _parse_float(cursor: Cursor, names: Names, _spec: Spec) -> float:
    return parse_float(cursor, names.constants)


def _parse_label(cursor: Cursor, _names: Names, spec: Spec) -> Reference:
    token = cursor.current
    if token is None or token.kind != "name":
        raise cursor.fault(f"'{spec.mnemonic}' needs a label here")
    cursor.take()
    if cursor.current is not None and cursor.current.text in {"+", "-"}:
        raise cursor.fault("a label takes no offset; put a label where the branch should go")
    return Reference("label", token)


def _parse_array(cursor: Cursor, _names: Names, spec: Spec) -> Reference:
    token = cursor.current
    if token is None or token.kind != "name":
        raise cursor.fault(f"'{spec.mnemonic}' needs the name of an array here")
    cursor.take()
    return Reference("array", token)


def _parse_memory(cursor: Cursor, names: Names, spec: Spec) -> Address:
    displacement, base = _parse_base(cursor, names, spec, _MEMORY_FORM)
    index, scale = None, 1
    if cursor.accept(","):
        index, scale = _parse_index(cursor, names, "x")
    cursor.expect(")", "at the end of the address")
    return Address(base, index, scale, displacement)


def _parse_vector_memory(cursor: Cursor, names: Names, spec: Spec) -> Address:
    displacement, base = _parse_base(cursor, names, spec, _VECTOR_FORM)
    cursor.expect(",", "and a vector register: each lane has its own address")
    index, scale = _parse_index(cursor, names, "v")
    cursor.expect(")", "at the end of the address")
    return Address(base, index, scale, displacement)


def _parse_base(cursor: Cursor, names: Names, spec: Spec, form: str) -> tuple[int, int]:
    """Read an address up to its base register; return offset and base."""
    token = cursor.current
    if token is None:
        raise cursor.fault(f"'{spec.mnemonic}' needs an address: {form}")
    displacement = 0
    if not _opens_address(cursor):
        _refuse_bare_address(token, names)
        displacement = _parse_bounded(cursor, names, _INT32, "an offset is")
    cursor.expect("(", f"of the address: {form}")
    return displacement, _address_register(cursor, names, "x", "base")


def _refuse_bare_address(token: Token, names: Names) -> None:
    """Explain the two things that people write for an address and that are none."""
    if token.text in names.aliases or token.text.lower() in REGISTER_NUMBERS:
        raise token.fault(f"for the address in a register write ({token.text})")
    if token.text in names.arrays and token.text not in names.constants:
        raise token.fault(f"'{token.text}' is an array; put its address into a register with 'la'")


def _parse_index(cursor: Cursor, names: Names, letter: str) -> tuple[int, int]:
    """Read index register and scale."""
    index = _address_register(cursor, names, letter, "index")
    if not cursor.accept("*"):
        return index, 1
    start = cursor.position
    scale = parse_expression(cursor, names.constants)
    if scale not in _SCALES:
        raise cursor.span(start, f"an index is scaled by 1, 2, 4 or 8, not by {scale}")
    return index, scale


def _opens_address(cursor: Cursor) -> bool:
    """Whether the parenthesis at the cursor, if any, is the address itself, not an offset."""
    if cursor.tokens[cursor.position].text != "(":
        return False
    depth = 0
    for position in range(cursor.position, len(cursor.tokens)):
        text = cursor.tokens[position].text
        depth += (text == "(") - (text == ")")
        if depth == 0:
            return position == len(cursor.tokens) - 1
    return True


def _address_register(cursor: Cursor, names: Names, letter: str, role: str) -> int:
    takes = f"the {role} of an address is {FILE_NAMES[letter]}, found"
    start = cursor.position
    register = parse_register(cursor, names)
    if register is None:
        token = cursor.take()
        raise token.fault(f"{takes} '{token.text}'{register_hint(token, names)}")
    first, count = FILES[letter]
    if not first <= register < first + count:
        raise cursor.span(start, f"{takes} '{cursor.tokens[start].text}'")
    return register


def parse_element(cursor: Cursor) -> str:
    """Read an element type."""
    token = cursor.take()
    if token.text not in ELEMENTS:
        hint = nearest(token.text, ELEMENTS)
        raise token.fault(f"unknown element type '{token.text}'{hint}")
    return token.text


_PARSERS: dict[str, Callable[[Cursor, Names, Spec], Argument | Reference]] = {
    "imm": _parse_immediate,
    "shift": _parse_shift,
    "lane": _parse_lane,
    "float": _parse_float,
    "label": _parse_label,
    "array": _parse_array,
    "mem": _parse_memory,
    "vmem": _parse_vector_memory,
}
