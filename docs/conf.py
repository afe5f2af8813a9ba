"""How the documentation is built: `make docs`.

The repository itself is the source, so that pages link to result tables and to each other as they do on the web page of
the repository; `include_patterns` says which files are pages.
"""

import re
import sys
import warnings
from pathlib import Path

from sphinx_gallery.sorting import FileNameSortKey

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import command_line_pages  # noqa: E402
import outside_names  # noqa: E402
import see_also  # noqa: E402

import pugam  # noqa: E402

project, author, copyright = "pugam", "The pugam developers", "The pugam developers"
version = release = pugam.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    "sphinx-mathjax-offline",
]
include_patterns = [
    "docs/**",
    "results/**.md",
    "benchmarks/README.md",
    "benchmarks/results/*.md",
    "tests/certified/README.md",
    "tests/fuzzing/README.md",
    "CHANGELOG.md",
    "CODE_OF_CONDUCT.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
]
exclude_patterns = ["**/records", "docs/templates"]
root_doc = "docs/index"
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
nitpicky = False

myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
suppress_warnings = ["config.cache"]

templates_path = [str(HERE / "templates")]  # beside the pages, where autosummary does not look by itself
default_role = "py:obj"  # `effect` in a docstring leads to that method
autosummary_generate = True
autodoc_typehints = "none"  # numpydoc's sections say it in words
numpydoc_show_class_members = False
numpydoc_validation_checks: set[str] = set()
numpydoc_xref_param_type = True
numpydoc_xref_aliases = outside_names.ALIASES
numpydoc_xref_ignore = "all"  # but these aliases
intersphinx_mapping = outside_names.write(HERE / "reference/generated")

sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "docs/gallery",
    "backreferences_dir": "docs/gallery/backreferences",
    "filename_pattern": r"\.py$",
    "within_subsection_order": FileNameSortKey,
    "download_all_examples": False,
    "show_signature": False,
    "abort_on_example_error": True,
    "write_computation_times": False,
    "min_reported_time": 0,
    "capture_repr": ("_repr_html_", "__repr__"),
}

copybutton_prompt_text = r">>> |\.\.\. |\$ "  # what is typed is copied, not what is printed
copybutton_prompt_is_regexp = True

html_theme = "pydata_sphinx_theme"
html_title = "pugam"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_extra_path = ["top"]  # a first page that leads to the pages
html_show_sourcelink = False
ALONE = [f"docs/{name}" for name in ("start", "choosing", "faq", "cheatsheet", "glossary")]
html_sidebars = {name: [] for name in [*ALONE, "CONTRIBUTING", "CHANGELOG", "SECURITY", "CODE_OF_CONDUCT"]}
html_theme_options = {
    "navbar_align": "left",
    "show_prev_next": True,
    "secondary_sidebar_items": ["page-toc"],
    "header_links_before_dropdown": 7,
    "show_version_warning_banner": False,
    "footer_start": ["copyright"],
    "footer_end": [],
}

warnings.filterwarnings("ignore", category=pugam.PugamWarning)


LINK_TO_EXAMPLE = re.compile(r"\]\(((?:\.\./)*)\.\./examples/(\w+)\.py\)")


def link_to_gallery(app, docname, source):
    """Lead to the page that was made of an example, where the page in the repository leads to the script itself."""
    source[0] = LINK_TO_EXAMPLE.sub(r"](\1gallery/\2)", source[0])


def setup(app):
    """Write the pages of the command line before the others are read."""
    app.connect("builder-inited", lambda app: command_line_pages.write(Path(app.srcdir) / "docs/reference"))
    app.connect("source-read", link_to_gallery)
    app.connect("autodoc-process-docstring", see_also.add, priority=400)  # before numpydoc reads it, at 500
