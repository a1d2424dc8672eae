"""One static instruction in generated code: what it computes, and what it costs.

What an instruction computes comes from its meaning, what it costs from the rules of
`simulator.model`. Here stands only how operands reach them when registers are local
variables. An instruction that needs more than that (masked and indexed accesses, array
addresses, indirect jumps) calls the interpreter's own function for it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import FunctionType

from isa.binding import effective, words, words_of_one
from isa.interpreter import Machine
from isa.memory import Memory
from isa.operands import SINK, Address
from isa.program import Instruction
from isa.spec import Access, Kind
from isa.values import as_floats, as_ints
from simulator.engine.source import is_simple
from simulator.engine.specialiser import Path, Specialiser
from simulator.engine.values import Dynamic, Known, Value, assignment, call, constant, name, target

_VIEWS: dict[str, Callable[..., object]] = {"Ints": as_ints, "Floats": as_floats}
_CONSTANTS = {"imm", "shift", "lane", "float"}


class Instructions:
    """Emits what instructions compute, through a specialiser."""

    def __init__(self, machine: Machine, rules: Specialiser) -> None:
        self.machine = machine
        self.program = machine.program
        self.rules = rules
        self.registers = Known(machine.registers, ("machine", "registers"))
        self.memory = Known(machine.memory, ("machine", "memory"))

    def execute(self, number: int) -> tuple[Value, Value]:
        """Emit the execution of an instruction.

        Returns
        -------
        taken, words
            Whether another instruction than the next one follows, and the words accessed.
            The number of the instruction after an indirect jump is left in ``number``.
        """
        instruction = self.program.instructions[number]
        kind = instruction.spec.kind
        if kind is Kind.BRANCH:
            return self._branch(instruction, number), Known(())
        if kind is Kind.LOAD or kind is Kind.STORE:
            return Known(value=False), self._access(instruction, number)
        if kind is Kind.INDIRECT:
            self._interpret(number, result="number")
        elif kind is Kind.CALL:
            self._write(self.program.dataflow[number].writes[0], Known(4 * (number + 1)))
        elif kind is Kind.COMPUTE:
            self._compute(instruction, number)
        return Known(kind in {Kind.INDIRECT, Kind.CALL, Kind.JUMP}), Known(())

    def _register(self, register: int) -> Value:
        """Return the value of a register: x0 is 0, any other a local variable."""
        if register == 0:
            return Known(0)
        return Dynamic(name(self.rules.scalar(self.registers, register)))

    def _write(self, register: int, value: Value) -> None:
        """Emit the write of a register; what is written to x0 is computed and dropped."""
        if register == SINK:
            self.rules.lasting(value, "dropped")
        else:
            self.rules.assign(self.rules.scalar(self.registers, register), value)

    def _operands(self, instruction: Instruction, number: int) -> list[Value]:
        """Return the values an instruction reads, each in the view that its meaning asks for."""
        reads = self.program.dataflow[number].reads
        views = dict(enumerate(instruction.spec.views))
        values = []
        for position, register in enumerate(reads):
            value = self._register(register)
            view = _VIEWS.get(views.get(position, ""))
            if view is not None and isinstance(value, Dynamic):
                value = Dynamic(call(self.rules.node(Known(view)), [value.node]))
            values.append(value)
        return values

    def _apply(self, instruction: Instruction, values: list[Value]) -> Value:
        """Apply a meaning: in place where it is one expression of operators, else by a call."""
        meaning = instruction.spec.meaning
        if isinstance(meaning, FunctionType) and is_simple(meaning):
            parameters = meaning.__code__.co_varnames
            return self.rules.inline(meaning, dict(zip(parameters, values, strict=False)))
        nodes = [self.rules.node(value) for value in values]
        return Dynamic(call(self.rules.node(Known(meaning)), nodes))

    def _compute(self, instruction: Instruction, number: int) -> None:
        spec = instruction.spec
        writes = self.program.dataflow[number].writes
        if any(operand.kind == "array" for operand in spec.operands):
            self._interpret(number)
            return
        if not writes:
            return
        values = self._operands(instruction, number)
        for operand, argument in zip(spec.operands, instruction.arguments, strict=True):
            if operand.kind in _CONSTANTS:
                values.append(Known(argument))
        if spec.wants_lanes:
            values.append(Known(self.program.lanes))
        result = self._apply(instruction, values)
        if len(writes) == 1:
            self._write(writes[0], result)
            return
        several = self.rules.node(self.rules.lasting(result, "several"))
        for position, register in enumerate(writes):
            item = ast.Subscript(value=several, slice=constant(position), ctx=ast.Load())
            self._write(register, Dynamic(item))

    def _branch(self, instruction: Instruction, number: int) -> Value:
        """Emit a branch's condition."""
        if instruction.arguments[-1] == number + 1:
            return Known(value=False)
        taken = self._apply(instruction, self._operands(instruction, number))
        return self.rules.lasting(taken, "taken")

    def _access(self, instruction: Instruction, number: int) -> Value:
        """Emit a load or store; return the words it touches."""
        access = instruction.spec.access
        stores = instruction.spec.kind is Kind.STORE
        if access is None or access.masked or (access.vector and stores):
            self._interpret(number)
            touched = ast.Attribute(
                value=self.rules.node(Known(self.machine, ("machine",))),
                attr="touched",
                ctx=ast.Load(),
            )
            return self.rules.lasting(Dynamic(touched), "touched")
        at = self._address(instruction)
        if stores:
            value = self._apply(instruction, self._operands(instruction, number))
            arguments = [at, Known(access.element), value]
            stored = self._memory_call("store", arguments)
            touched_words = self._words(access, at)
            self.rules.emit(ast.Expr(value=stored.node))
            return touched_words
        touched_words = self._words(access, at)
        values = self._operands(instruction, number)
        values.append(self._loaded(access, at))
        if instruction.spec.wants_lanes:
            values.append(Known(self.program.lanes))
        register = self.program.dataflow[number].writes[0]
        self._write(register, self._apply(instruction, values))
        return touched_words

    def _words(self, access: Access, at: Value) -> Value:
        """Emit the words that a contiguous access touches."""
        if not access.vector:
            return self.rules.inline(words_of_one, {"address": at, "size": Known(access.size)})
        size = constant(access.size * self.program.lanes)
        touched = call(self.rules.node(Known(words)), [self.rules.node(at), size])
        return self.rules.lasting(Dynamic(touched), "touched")

    def _loaded(self, access: Access, at: Value) -> Value:
        """Emit the load of one element, or of consecutive lanes."""
        element = Known(access.element)
        if access.vector:
            return self._memory_call("load_lanes", [at, element, Known(self.program.lanes)])
        arguments = {"self": self.memory, "address": at, "element": element}
        return self.rules.inline(Memory.load, arguments)

    def _memory_call(self, method: str, arguments: list[Value]) -> Dynamic:
        """Return a call of one of the memory's methods."""
        path: Path = ("machine", "memory", method)
        function = self.rules.node(Known(getattr(self.memory.value, method), path))
        return Dynamic(call(function, [self.rules.node(argument) for argument in arguments]))

    def _address(self, instruction: Instruction) -> Value:
        """Emit a memory operand's address."""
        argument = next(a for a in instruction.arguments if isinstance(a, Address))
        address = self._register(argument.base)
        if argument.index is not None:
            index = self.rules.binary(
                ast.Mult(), self._register(argument.index), Known(argument.scale)
            )
            address = self.rules.binary(ast.Add(), address, index)
        if argument.displacement:
            address = self.rules.binary(ast.Add(), address, Known(argument.displacement))
        return self.rules.inline(effective, {"address": address})

    def _interpret(self, number: int, result: str | None = None) -> None:
        """Emit a call of the interpreter's function, with registers brought over and back."""
        rules = self.rules
        flow = self.program.dataflow[number]
        registers = rules.node(self.registers)
        for register in dict.fromkeys((*flow.reads, *flow.address)):
            if register:
                item = ast.Subscript(value=registers, slice=constant(register), ctx=ast.Store())
                rules.emit(assignment(item, rules.node(self._register(register))))
        path: Path = ("machine", "handlers", (number,))
        executed = call(rules.node(Known(self.machine.handlers[number], path)), [])
        if result is None:
            rules.emit(ast.Expr(value=executed))
        else:
            rules.emit(assignment(target(result), executed))
        for register in flow.writes:
            if register != SINK:
                item = ast.Subscript(value=registers, slice=constant(register), ctx=ast.Load())
                self._write(register, Dynamic(item))
