# dual:001: while both streams have a whole window of W elements, a fast lane takes one
# window of each. Phase 1 (vector) finds for each element of B the value of C at its
# coordinate, or 0.0. Phase 2 (scalar) multiplies and adds. Phase 3 (scalar) moves each
# position past the elements up to the pivot. Nothing in it branches on the data.
#
# Lanes of a vector that lies in memory are loaded again as scalars, as compilers do.
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

    # Phase 2: products, summed among themselves before they join the running sum.
    fld  vb, (b_val, p*8)
    fmul vb, vb, f8
    .repeat i, lanes-1
    fld  vc, (i+1)*8(b_val, p*8)
    fmul vc, vc, f{9+i}
    fadd vb, vb, vc
    .endrepeat
    fadd acc, acc, vb

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
