# window-match-vector: the fast lane of the dual-path forms, phase 1. While both streams have
# a whole window of W elements, the fast lane takes one window of each, and the form after it
# does the rest. Nothing in it branches on the data. Phase 1 finds for each element of B the
# value of C at its coordinate, or 0.0; phase 2 multiplies and adds; phase 3 moves each
# position past the elements up to the pivot, the smaller of the windows' last coordinates.
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
