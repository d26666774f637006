"""The table people sit down at: a server for browsers and bots, rooms, store, agents beside people.

It uses the environment and the agents; neither knows of it. `marias serve` starts the server,
`docs/protocol.md` describes what it speaks.
"""

from typing import Final

NEEDED: Final = (
    "orjson",
    "pebble",
    "prompt_toolkit",
    "pydantic",
    "starlette",
    "uvicorn",
    "websockets",
)
"""Libraries of the extra `table`."""
