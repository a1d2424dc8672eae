# window-compute-scalar: phase 2 in scalar form, W products, summed one after another.
    # Phase 2: products, summed among themselves before they join the running sum.
    fld  vb, (b_val, p*8)
    fmul vb, vb, f8
    .repeat i, lanes-1
    fld  vc, (i+1)*8(b_val, p*8)
    fmul vc, vc, f{9+i}
    fadd vb, vb, vc
    .endrepeat
    fadd acc, acc, vb
