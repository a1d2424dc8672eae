# branchy: the two-finger merge with a three-way compare. Which way a step goes depends on
# the data, so on unrelated streams the predictor cannot know it.
    bgeu p, p_end, done
    bgeu q, q_end, done
step:
    ld   ca, (b_crd, p*8)
    ld   cb, (c_crd, q*8)
    bne  ca, cb, unequal
    fld  vb, (b_val, p*8)
    fld  vc, (c_val, q*8)
    fmul vb, vb, vc
    fadd acc, acc, vb
    addi p, p, 1
    j    advance_c
unequal:
    bgeu ca, cb, advance_c
    addi p, p, 1
    bltu p, p_end, more
    j    done
advance_c:
    addi q, q, 1
    bgeu p, p_end, done
more:
    bltu q, q_end, step
