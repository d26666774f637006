"""Builds the card game Triple Triad of PufferLib's source distribution for `peers.py`.

PufferLib's own build compiles all of its games and fetches graphics libraries from elsewhere. The
one game that is measured needs none of that to run: here only its binding is compiled, with the
compiler flags of PufferLib's own build, and the drawing functions become empty.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Final

from benchmarks.measure import NotAvailableError
from benchmarks.report import write_atomically

FLAGS: Final = ("-O2", "-flto", "-fwrapv", "-fPIC", "-shared", "-DPLATFORM_DESKTOP", "-w")

# Only what tripletriad.h names. Nothing here is ever called: the benchmark draws nothing.
RAYLIB_H: Final = """\
#pragma once
#include <stdbool.h>
#include <stdio.h>
typedef struct Color { unsigned char r, g, b, a; } Color;
typedef struct Rectangle { float x, y, width, height; } Rectangle;
#define PURPLE ((Color){200, 122, 255, 255})
#define KEY_ESCAPE 256
static inline void InitWindow(int w, int h, const char *title) {}
static inline void CloseWindow(void) {}
static inline void SetTargetFPS(int fps) {}
static inline bool IsKeyDown(int key) { return false; }
static inline void BeginDrawing(void) {}
static inline void EndDrawing(void) {}
static inline void ClearBackground(Color c) {}
static inline void DrawRectangle(int x, int y, int w, int h, Color c) {}
static inline void DrawRectangleLines(int x, int y, int w, int h, Color c) {}
static inline void DrawRectangleLinesEx(Rectangle r, float t, Color c) {}
static inline void DrawText(const char *t, int x, int y, int size, Color c) {}
static inline const char *TextFormat(const char *f, ...) { return ""; }
"""


def fetch_source(requirement: str, work: Path) -> Path:
    """Gets and unpacks the source distribution with pip; returns its `ocean` folder.

    Pip insists on the package's own set-up step, which needs PyTorch and other downloads and so may
    fail; with `--no-clean` the unpacked source stays, and that is all that is wanted.
    """
    command = [sys.executable, "-m", "pip", "download", "--no-clean", "--no-deps"]
    command += ["--no-build-isolation", "--no-binary", ":all:", "-d", str(work / "sdist")]
    done = subprocess.run(
        [*command, requirement],
        env={**os.environ, "TMPDIR": str(work), "PIP_NO_INPUT": "1"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    for source in work.glob("*/*/pufferlib/ocean/tripletriad/binding.c"):
        return source.parent.parent
    tail = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    raise NotAvailableError(f"no source from pip: {tail[-1][:200] if tail else 'no output'}")


def build(requirement: str, folder: Path) -> Path:
    """Builds the binding into `folder`, once for each requirement; returns the folder.

    Raises:
        NotAvailableError: no source, no compiler, or it does not compile.
    """
    import numpy as np

    if re.fullmatch(r"pufferlib==[\w.]+", requirement) is None:
        raise NotAvailableError(f"not an exact pin of pufferlib: {requirement!r}")
    stamp = folder / "built-from"
    if stamp.exists() and stamp.read_text() == requirement:
        return folder
    compiler = shutil.which(os.environ.get("CC", "cc")) or shutil.which("gcc")
    if compiler is None:
        raise NotAvailableError("no C compiler")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="marias-pufferlib-") as name:
        work = Path(name)
        ocean = fetch_source(requirement, work)
        stub = work / "stub"
        stub.mkdir()
        (stub / "raylib.h").write_text(RAYLIB_H)
        target = folder / f"binding{sysconfig.get_config_var('EXT_SUFFIX')}"
        command = [compiler, *FLAGS, str(ocean / "tripletriad" / "binding.c"), "-o", str(target)]
        command += [
            f"-I{path}" for path in (stub, sysconfig.get_paths()["include"], np.get_include())
        ]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        if done.returncode:
            raise NotAvailableError(f"does not compile: {done.stderr.strip()[:300]}")
    write_atomically(stamp, requirement)
    return folder
