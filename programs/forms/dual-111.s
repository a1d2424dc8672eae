# dual:111: the fast lane of dual:001 with all three phases in vector form. Phase 3
# compares both windows with the pivot and counts predicate bits, which puts the way from
# predicates to integer registers and back on the path from one window to the next.
    addi p_last, p_end, -lanes
    addi q_last, q_end, -lanes
    blt  p_last, p, tail
    blt  q_last, q, tail
window:
    # Phase 1: compare each coordinate of B with all of C's window.
    vld  v1, (c_crd, q*8)
    vld  v2, (c_val, q*8)
    .repeat i, lanes
    vldsplat v3, i*8(b_crd, p*8)
    vcmpeq   p1, v3, v1
    vselz    v4, p1, v2
    vfsumo   f{8+i}, v4
    .endrepeat

    # Phase 2: one vector product, and one sum of its lanes.
    vfbuild v5, f8
    vld     v6, (b_val, p*8)
    vfmul   v5, v5, v6
    vfsumo  vb, v5
    fadd    acc, acc, vb

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
    blt     p_last, p, tail
    bge     q_last, q, window
tail:
