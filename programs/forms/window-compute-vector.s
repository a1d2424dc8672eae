# window-compute-vector: phase 2 in vector form; the matched values become a vector again.
    # Phase 2: one vector product, and one sum of its lanes.
    vfbuild v5, f8
    vld     v6, (b_val, p*8)
    vfmul   v5, v5, v6
    vfsumo  vb, v5
    fadd    acc, acc, vb
