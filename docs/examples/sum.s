.input a, i64              # contents from the command line
.output total, i64

    la   x1, a
    len  x2, a
    la   x5, total
loop:
    ld   x6, (x1, x3*8)    # base + index * scale
    add  x4, x4, x6
    addi x3, x3, 1
    bltu x3, x2, loop
    sd   x4, (x5)
    halt
