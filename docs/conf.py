"""Sphinx configuration: `make docs` builds the site into build/docs, warnings are errors."""

from __future__ import annotations

from importlib.metadata import version as distribution_version
from typing import Any

project = "marias-env"
author = "The marias-env contributors"
copyright = author  # noqa: A001 - the name that Sphinx reads
release = distribution_version("marias-env")
version = release

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
# The tutorials are executed when they are built, so what a page shows is what the code prints.
nb_execution_mode = "cache"
nb_execution_cache_path = "../build/notebooks"
nb_execution_timeout = 600
nb_execution_raise_on_error = True

# Frameworks that clash with each other are not installed where the site is built.
autodoc_mock_imports = ["pyspiel", "open_spiel", "ray", "tensordict", "torchrl"]
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True, "show-inheritance": True}
# Signatures as they are written, or every array type is spelled out in full.
autodoc_type_aliases = {"Ints": "Ints", "Floats": "Floats"}
python_use_unqualified_type_names = True
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True

default_role = "literal"  # docstrings quote code with single backticks

html_theme = "furo"
html_title = f"marias-env {release}"
html_static_path: list[str] = []
exclude_patterns = ["README.md"]
suppress_warnings = [
    "mystnb.unknown_mime_type",  # progress bars of notebooks
    "myst.xref_missing",  # links to files of the repository outside docs/; a test follows them
    "config.cache",
]


def _markdown_to_rst(
    app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]
) -> None:
    """Turns what the docstrings have of Markdown (tables, indented code) into RST."""
    found: list[str] = []
    in_code = in_table = False
    for line in lines:
        if line.startswith("|"):
            if not in_table:
                found += ["", ".. list-table::", ""]
                in_table = True
            cells = [cell.strip() for cell in line.replace("\\|", "\0").strip("|").split("|")]
            if any(cell.strip("-: ") for cell in cells):
                found += [f"   {'* -' if i == 0 else '  -'} {c}" for i, c in enumerate(cells)]
            continue
        if in_table:
            found.append("")
            in_table = False
        indented = line.startswith("    ")
        before = found[-1].strip() if found else ""
        if indented and not in_code and not before and what == "module":
            found += ["::", ""]
            in_code = True
        elif line.strip() and not indented:
            in_code = False
        found.append(line if in_code else line.replace("|V|", "abs(V)"))
    lines[:] = [*found, ""]


def setup(app: Any) -> None:
    """Registers the conversion."""
    app.connect("autodoc-process-docstring", _markdown_to_rst, priority=1000)
