"""Search agents: `pimc:N`, which samples worlds and solves them, and `ismcts:N`."""
