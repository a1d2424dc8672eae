"""What a core does with a program: the timing model, its cores and reports."""
