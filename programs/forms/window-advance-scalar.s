# window-advance-scalar: phase 3 in scalar form, a compare and an add for each coordinate.
    # Phase 3: count the coordinates up to the smaller of the two last ones.
    ld   ca, (lanes-1)*8(b_crd, p*8)
    ld   cb, (lanes-1)*8(c_crd, q*8)
    minu pivot, ca, cb
    mv   p_next, p
    mv   q_next, q
    .repeat i, lanes
    ld   ca, i*8(b_crd, p*8)
    ld   cb, i*8(c_crd, q*8)
    sleu eq_b, ca, pivot
    sleu eq_c, cb, pivot
    add  p_next, p_next, eq_b
    add  q_next, q_next, eq_c
    .endrepeat
    mv   p, p_next
    mv   q, q_next
    blt  p_last, p, tail
    bge  q_last, q, window
tail:
