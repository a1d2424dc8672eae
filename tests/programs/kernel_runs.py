"""Running a kernel in some form, and what it must compute, in plain Python."""

from __future__ import annotations

import math
import struct
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import accumulate

import numpy as np
from scipy.sparse import csr_array
from sparse_strategies import Product, Vector

from isa.interpreter import HALTED, Machine
from programs.catalogue import KERNELS
from programs.problem import Problem
from programs.variants import VARIANTS, build_program

LANES = (2, 4, 8, 16)
FORMS = tuple(VARIANTS)
EXACT = tuple(name for name, variant in VARIANTS.items() if variant.exact)
DUAL = tuple(name for name in VARIANTS if name.startswith("dual"))
LIMIT = 200_000

build = cache(build_program)


def compressed(rows: Sequence[Vector], columns: int) -> csr_array:
    """Return rows in CSR form with 64-bit coordinates, whatever their size."""
    ordered = [sorted(row.items()) for row in rows]
    pointers = np.cumsum([0, *map(len, ordered)], dtype=np.int64)
    indices = np.array([at for row in ordered for at, _ in row], dtype=np.int64)
    values = np.array([value for row in ordered for _, value in row], dtype=np.float64)
    return csr_array((values, indices, pointers), shape=(len(rows), columns))


def dot_problem(left: Vector, right: Vector) -> Problem:
    columns = min(2**63 - 1, 1 + max([0, *left, *right]))
    return Problem(KERNELS["spdot"], (), compressed([left], columns), compressed([right], columns))


def product_problem(product: Product) -> Problem:
    left, right = compressed(product.left, product.inner), compressed(product.right, product.inner)
    return Problem(KERNELS["spgemm"], (), left, right)


def raw_bindings(kernel: str, product: Product) -> dict[str, int | list[int] | list[float]]:
    """Return what the program's arrays hold, made without SciPy; coordinates below 2^64."""
    bound: dict[str, int | list[int] | list[float]] = {}
    for name, rows in (("B", product.left), ("C", product.right)):
        ordered = [item for row in rows for item in sorted(row.items())]
        bound[f"{name}_crd"] = [at - 2**64 if at >= 2**63 else at for at, _ in ordered]
        bound[f"{name}_val"] = [value for _, value in ordered]
        if kernel == "spgemm":
            bound[f"{name}_pos"] = list(accumulate(map(len, rows), initial=0))
    bound["A" if kernel == "spgemm" else "y"] = len(product.left) * len(product.right)
    return bound


def ran(problem: Problem, form: str, lanes: int) -> Machine:
    """Run a form to its end and have the problem verify the result."""
    machine = Machine(build(problem.kernel.name, form, lanes), problem.bindings())
    machine.run(LIMIT)
    problem.verify(machine, VARIANTS[form])
    return machine


def output(machine: Machine) -> list[float]:
    return machine.memory.view("y" if "y" in machine.memory.arrays else "A").tolist()


def computed(problem: Problem, form: str, lanes: int) -> list[float]:
    return output(ran(problem, form, lanes))


def dot(left: Vector, right: Vector) -> float:
    """Add the products at common coordinates, one after the other from the lowest."""
    total = 0.0
    for at in sorted(left.keys() & right.keys()):
        total += left[at] * right[at]
    return total


def dots(product: Product) -> list[float]:
    return [dot(row, column) for row in product.left for column in product.right]


def bits(values: Sequence[float]) -> list[bytes]:
    """Return the bytes of doubles; all NaN count as one."""
    return [struct.pack("<d", math.nan if math.isnan(value) else value) for value in values]


def merge_steps(left: Vector, right: Vector) -> int:
    """Count the steps of a two-finger merge by doing one."""
    ours, theirs = sorted(left), sorted(right)
    p = q = count = 0
    while p < len(ours) and q < len(theirs):
        least = min(ours[p], theirs[q])
        p, q = p + (ours[p] == least), q + (theirs[q] == least)
        count += 1
    return count


def windows(left: Vector, right: Vector, lanes: int) -> Iterator[tuple[list[int], list[int]]]:
    """Give the windows of coordinates that a fast lane takes, one after the other."""
    ours, theirs = sorted(left), sorted(right)
    while len(ours) >= lanes and len(theirs) >= lanes:
        yield ours[:lanes], theirs[:lanes]
        pivot = min(ours[lanes - 1], theirs[lanes - 1])
        ours = [at for at in ours if at > pivot]
        theirs = [at for at in theirs if at > pivot]


def window_counts(left: Vector, right: Vector, lanes: int) -> tuple[int, int]:
    """Count the windows that a fast lane takes, and the merge steps left after them."""
    taken = list(windows(left, right, lanes))
    passed = max((min(ours[-1], theirs[-1]) for ours, theirs in taken), default=-1)
    left = {at: value for at, value in left.items() if at > passed}
    right = {at: value for at, value in right.items() if at > passed}
    return len(taken), merge_steps(left, right)


def trace(machine: Machine) -> Iterator[int]:
    """Run a machine and give the number of each instruction that it executes."""
    number = 0
    for _ in range(LIMIT):
        if number == HALTED:
            return
        yield number
        number = machine.handlers[number]()
    raise AssertionError("no end in sight")


def executions(machine: Machine) -> Counter[str]:
    """Run a machine and count how often the instruction at each label is executed."""
    counts = Counter(trace(machine))
    return Counter({label: counts[number] for label, number in machine.program.labels})
