"""The timing model, in its readable form.

A core is modelled instruction by instruction, not cycle by cycle: every dynamic
instruction, in program order, gets the cycles at which it is fetched, dispatched,
issued, completed and retired, each the latest of the constraints that hold it back. One
module holds the rule of one part of the core:

=============  =================================================================
front_end      fetch width, taken branches, queue, redirects
branches       prediction, and the ledger of each branch
dispatch       issue slots, reorder buffer, queues, schedulers; slot accounting
units          execution units, searched out of order cycle by cycle
memory         load latency and store-to-load forwarding
retirement     in order, so many in a cycle
dataflow       the same run with unlimited resources
pipeline       puts them in order
=============  =================================================================

Cycle numbers start at 0. What completes at cycle c can be used by what issues at c.
"""
