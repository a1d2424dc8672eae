# predicated: select without its last data-dependent branch. Every step multiplies, and
# what is added is the product on a match and 0.0 otherwise.
    bgeu p, p_end, done
    bgeu q, q_end, done
step:
    ld    ca, (b_crd, p*8)
    ld    cb, (c_crd, q*8)
    minu  least, ca, cb
    seq   eq_b, ca, least
    seq   eq_c, cb, least
    and   both, eq_b, eq_c
    fld   vb, (b_val, p*8)
    fld   vc, (c_val, q*8)
    fmul  vb, vb, vc
    fcsel vb, vb, zero, both
    fadd  acc, acc, vb
    add   p, p, eq_b
    add   q, q, eq_c
    bgeu  p, p_end, done
    bltu  q, q_end, step
