"""The agent `net`: a network made for CPUs, evaluated by compiled code without torch."""
