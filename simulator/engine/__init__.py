"""The fast engine: the readable rules, specialised for one program on one core.

The rules of `simulator.model` are read as source, inlined for every static instruction,
with the core's figures and the instruction's operands folded into constants and the
model's state turned into local variables; the result is compiled once. No rule is written
a second time. What a user typed never reaches the generated code: it holds numbers,
names made here, and references to objects.
"""
