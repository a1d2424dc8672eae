# What an outer kernel and a co-iteration form agree on.
#
# A form walks two sorted coordinate streams, B from p to p_end and C from q to q_end, and
# adds the products of the values at equal coordinates to acc. It may change the temporary
# registers, f8 to f31, and all v and p registers, and it leaves at label 'done'.

.reg b_crd,  x4       # coordinates of B
.reg b_val,  x5       # values of B
.reg c_crd,  x6       # coordinates of C
.reg c_val,  x7       # values of C
.reg p,      x8       # position in B
.reg p_end,  x9
.reg q,      x10      # position in C
.reg q_end,  x11
.reg acc,    f0       # running sum
.reg zero,   f1       # 0.0

.reg ca,     x12      # temporary: coordinate of B
.reg cb,     x13      # temporary: coordinate of C
.reg least,  x14      # temporary: the smaller of the two
.reg eq_b,   x15      # temporary: 1 if B holds the smaller
.reg eq_c,   x16      # temporary: 1 if C does
.reg both,   x17      # temporary: 1 on a match
.reg p_last, x18      # temporary: last position of B with a whole window behind it
.reg q_last, x19      # temporary: the same for C
.reg pivot,  x20      # temporary: smaller of the windows' last coordinates
.reg p_next, x21      # temporary: position after the window
.reg q_next, x22      # temporary: the same for C
.reg vb,     f2       # temporary: value of B, then the product
.reg vc,     f3       # temporary: value of C
