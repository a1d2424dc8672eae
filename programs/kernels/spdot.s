# spdot: y = sum over j of b(j) * c(j), two sparse vectors.
.input  B_crd, i64
.input  B_val, f64
.input  C_crd, i64
.input  C_val, f64
.output y, f64

.reg y_at, x23

unit:
    la   b_crd, B_crd
    la   b_val, B_val
    la   c_crd, C_crd
    la   c_val, C_val
    la   y_at, y
    li   p, 0
    len  p_end, B_crd
    li   q, 0
    len  q_end, C_crd
    fli  zero, 0.0
    fld  acc, (y_at)
    .coiterate
done:
    fsd  acc, (y_at)
    halt
