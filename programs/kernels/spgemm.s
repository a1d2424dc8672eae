# spgemm: A(i,k) = sum over j of B(i,j) * C(j,k), B in CSR, C in CSC, A dense, loops in
# the order i, k, j: each element of A is one co-iteration of a row and a column.
.input  B_pos, i64
.input  B_crd, i64
.input  B_val, f64
.input  C_pos, i64
.input  C_crd, i64
.input  C_val, f64
.output A, f64

.reg b_pos,   x23     # row pointers of B
.reg c_pos,   x24     # column pointers of C
.reg a_at,    x25     # address of A(i,k)
.reg row,     x26
.reg column,  x27
.reg rows,    x28
.reg columns, x29
.reg p_first, x30     # start of row i

    la   b_pos, B_pos
    la   b_crd, B_crd
    la   b_val, B_val
    la   c_pos, C_pos
    la   c_crd, C_crd
    la   c_val, C_val
    la   a_at, A
    len  rows, B_pos
    addi rows, rows, -1
    len  columns, C_pos
    addi columns, columns, -1
    fli  zero, 0.0
    li   row, 0
    beqz rows, end
    beqz columns, end
unit:
    ld   p_first, (b_pos, row*8)
    ld   p_end, 8(b_pos, row*8)
    li   column, 0
pair:
    mv   p, p_first
    ld   q, (c_pos, column*8)
    ld   q_end, 8(c_pos, column*8)
    fld  acc, (a_at)
    .coiterate
done:
    fsd  acc, (a_at)
    addi a_at, a_at, 8
    addi column, column, 1
    bltu column, columns, pair
    addi row, row, 1
    bltu row, rows, unit
end:
    halt
