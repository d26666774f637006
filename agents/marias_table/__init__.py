"""The table people sit down at: a server for browsers and bots, rooms, store, agents beside people.

It uses the environment and the agents; neither knows of it. `marias serve` starts the server,
`docs/protocol.md` describes what it speaks.
"""
