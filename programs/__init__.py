"""What is run, and on what data: kernels, matrices and oracles."""
