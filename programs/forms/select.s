# select: the merge as MLIR's sparsifier emits it. Both positions advance without a
# branch, by comparing each coordinate with the smaller one; one branch remains, taken
# on a match. The chain load, minimum, compare, advance runs from step to step.
    bgeu p, p_end, done
    bgeu q, q_end, done
step:
    ld   ca, (b_crd, p*8)
    ld   cb, (c_crd, q*8)
    minu least, ca, cb
    seq  eq_b, ca, least
    seq  eq_c, cb, least
    and  both, eq_b, eq_c
    beqz both, advance
    fld  vb, (b_val, p*8)
    fld  vc, (c_val, q*8)
    fmul vb, vb, vc
    fadd acc, acc, vb
advance:
    add  p, p, eq_b
    add  q, q, eq_c
    bgeu p, p_end, done
    bltu q, q_end, step
