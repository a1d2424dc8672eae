"""What a program is: instructions, assembler, memory and interpreter."""
