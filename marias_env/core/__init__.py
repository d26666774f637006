"""The compiled core: scalar rule functions over one `DEAL` record, and the loops over a batch.

Read in the order a deal is played: `deal` (the record), `dealing`, `bidding`, `doubling`, `legal`,
`play`, `settlement`, `step` (the one entry point), `kernels` (loops over rows).
"""
