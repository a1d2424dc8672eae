# window-advance-vector: phase 3 in vector form, compares to predicates and counts of their
# bits. That puts the way from predicates to integer registers and back on the path from one
# window to the next.
    # Phase 3: the lanes up to the pivot, by compare and population count.
    vld     v7, (b_crd, p*8)
    ld      ca, (lanes-1)*8(b_crd, p*8)
    ld      cb, (lanes-1)*8(c_crd, q*8)
    minu    pivot, ca, cb
    vsplat  v8, pivot
    vcmpleu p2, v7, v8
    vcmpleu p3, v1, v8
    pcnt    eq_b, p2
    pcnt    eq_c, p3
    add     p, p, eq_b
    add     q, q, eq_c
    blt  p_last, p, tail
    bge  q_last, q, window
tail:
