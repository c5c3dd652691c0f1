"""The documentation site: `make docs` builds it offline, with warnings as errors."""

import ast
import contextlib
import importlib.util
import inspect
import io
import os
import re
import tempfile
import textwrap
import warnings
from pathlib import Path

os.environ.setdefault("MPLBACKEND", "agg")

import matplotlib.pyplot as plt
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx_gallery.sorting import ExplicitOrder

import uapca
from uapca import figures

HERE = Path(__file__).parent
GENERATED = HERE / "_generated"  # written by this file at each build, ignored by git

project = "uapca"
author = "The uapca developers"
version = release = uapca.__version__
project_copyright = "The uapca developers, MIT license"

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_click",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "_generated", "gallery", "images", "**sg_execution_times*"]
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
nitpicky = True
smartquotes_action = "qe"  # quotes and dots; -- begins an option
# Types of other libraries: their inventories are on the network, which a build does not use.
# Modules have no page of their own.
nitpick_ignore_regex = [
    (r"py:.*", r"(?!uapca).*"),
    (r"py:obj", r"uapca\.(laws|laws\.density|inputs\.cells)"),
]
suppress_warnings = ["config.cache"]  # the settings of the gallery hold a function
templates_path = ["_templates"]

autodoc_typehints = "none"  # the types stand in the docstrings
autosummary_generate = True
default_role = "autolink"  # `uapca.UAPCA` in a docstring is a link
numpydoc_show_class_members = False
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True

html_theme = "pydata_sphinx_theme"
html_title = "uapca"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_context = {"default_mode": "auto"}
html_extra_path = ["_generated/extra"]
html_show_sourcelink = False
html_math_renderer = "mathml"
html_theme_options = {
    "navbar_align": "left",
    "header_links_before_dropdown": 8,
    "show_prev_next": True,
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {"index": [], "install": [], "quickstart": []}

sphinx_gallery_conf = {
    "examples_dirs": ["_generated/gallery"],
    "gallery_dirs": ["auto_gallery"],
    "filename_pattern": r"/plot_",
    "subsection_order": ExplicitOrder(
        [
            "_generated/gallery/inputs",
            "_generated/gallery/plots",
            "_generated/gallery/questions",
            "_generated/gallery/paper",
        ]
    ),
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "show_signature": False,
    "capture_repr": (),  # not the Axes that an example ends with
    "parallel": True,  # as many as Sphinx's -j says
    "show_memory": False,
    "min_reported_time": 1e9,
    "backreferences_dir": "_generated/backreferences",  # for "In the gallery" of the reference
    "doc_module": ("uapca",),
    "remove_config_comments": True,
    "abort_on_example_error": True,
    "matplotlib_animations": False,
    "copyfile_regex": r".*\.(csv|toml)",
    "reset_modules": ("matplotlib", lambda *_: uapca.plot.style("notebook")),
}


def write_gallery():
    """Copies the examples and adds a script for each figure of the paper."""
    target = GENERATED / "gallery"
    for path in sorted((HERE / "gallery").rglob("*")):
        if path.is_file() and path.suffix in (".py", ".rst", ".csv", ".toml"):
            write(target / path.relative_to(HERE / "gallery"), path.read_text(encoding="utf-8"))
    for number, name in enumerate(figures.NAMES, 1):
        if name in figures.NEEDS_ANURAN and not anuran_is_here():
            continue
        write(target / "paper" / f"plot_{number:02}_{name.replace('-', '_')}.py", figure(name))


def figure(name):
    """The script of a figure as a gallery example: its caption on top, its code as shipped."""
    spec = importlib.util.find_spec(f"uapca.figures.{name.replace('-', '_')}")
    source = Path(spec.origin).read_text(encoding="utf-8")
    tree = ast.parse(source)
    code = "\n".join(source.splitlines()[tree.body[0].end_lineno :]).strip()
    title = f"Figure: {name.replace('-', ' ')}"
    where = ast.get_docstring(tree)
    text = f"{title}\n{'=' * len(title)}\n\n{where}\n\n{figures.caption(name)}"
    return f'"""\n{text}\n"""\n\n{code}\n\n\nfigure = draw()\n'


def anuran_is_here():
    folder = os.environ.get("UAPCA_DATA")
    return folder is not None and (Path(folder) / "anuran_calls.csv").exists()


def write_pages():
    """Pages of the explorer that the site embeds."""
    folder = GENERATED / "extra" / "pages"
    folder.mkdir(parents=True, exist_ok=True)
    students = uapca.datasets.load_students()
    iris = uapca.datasets.load_iris_groups()
    for name, X in {"students": students, "iris": iris}.items():
        page = uapca.explore(uapca.UAPCA(2).fit(X), X, title=name.capitalize())
        page.to_html(folder / f"{name}.html")
        page.to_html(folder / f"{name}-compact.html", compact=True)


def write(path, text):
    """Only what has changed is written, so that unchanged examples are not run again."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def mathml_inline(self, node):
    self.body.append(tex2mathml(node.astext(), as_block=False))
    raise_skip()


def mathml_block(self, node):
    self.body.append(tex2mathml(node.astext(), as_block=True))
    raise_skip()


def raise_skip():
    from docutils.nodes import SkipNode

    raise SkipNode


def signature_of_classes(app, what, name, obj, options, signature, returned):
    """That of ``__init__`` without what is private.

    Estimators have a ``__new__`` that takes any name, to explain it.
    """
    if what != "class" or not (signature == "(*_, **parameters)" or ", _" in (signature or "")):
        return None
    found = inspect.signature(obj)
    shown = [
        one.replace(annotation=one.empty)
        for one in found.parameters.values()
        if not one.name.startswith("_")
    ]
    return str(found.replace(parameters=shown, return_annotation=found.empty)), None


def literal_examples(app, ctx, lines):
    """The examples of a command are commands, not text with markup."""
    if lines:
        text = "\n".join(line.removeprefix("| ").removeprefix("|") for line in lines)
        # Commands stay in lines of their own, sentences are put together and wrapped anew.
        parts = [part if "\n " in part else " ".join(part.split()) for part in text.split("\n\n")]
        shown = wrapped("\n\n".join(parts)).splitlines()
        lines[:] = [".. code-block:: text", "", *(f"   {line}" for line in shown), ""]


RUN = (
    "install",
    "quickstart",
    "tutorials/students",
    "tutorials/catalogue",
    "tutorials/replicates",
    "tutorials/draws",
    "tutorials/parquet",
    "trust",
    "spread",
)


def wrapped(text):
    """Long sentences on several lines; tables, whose columns are apart, stay as they are."""
    lines = []
    for line in text.splitlines():
        table = "  " in line.strip()
        indent = " " * (len(line) - len(line.lstrip()))
        lines += [line] if table else textwrap.wrap(line, 88, subsequent_indent=indent) or [""]
    return "\n".join(lines)


def show_results(app, docname, source):
    """Runs the Python blocks of a tutorial and puts under each what it prints and draws."""
    if docname not in RUN:
        return
    names = {"__name__": "__main__"}
    folder = GENERATED / "results"
    folder.mkdir(parents=True, exist_ok=True)
    pictures = 0

    def run(block):
        nonlocal pictures
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(block[1], names)
        shown = block[0]
        if printed.getvalue():
            text = wrapped(printed.getvalue().rstrip())
            shown += f"\n```{{code-block}} text\n:class: output\n\n{text}\n```\n"
        for number in plt.get_fignums():
            pictures += 1
            name = f"{docname.replace('/', '-')}-{pictures}.png"
            plt.figure(number).savefig(folder / name, dpi=150)
            shown += f"\n![What this code draws](/_generated/results/{name})\n"
        plt.close("all")
        return shown

    with (
        tempfile.TemporaryDirectory() as there,
        contextlib.chdir(there),
        warnings.catch_warnings(action="ignore"),
        uapca.plot.style("notebook"),
    ):
        source[0] = re.sub(r"^```python\n(.*?)^```\n", run, source[0], flags=re.M | re.S)


write_gallery()
write_pages()


def setup(app):
    # MathML is part of every browser: formulas need no script and no network.
    app.add_html_math_renderer("mathml", (mathml_inline, None), (mathml_block, None))
    app.connect("source-read", show_results)
    app.connect("autodoc-process-signature", signature_of_classes)
    app.connect("sphinx-click-process-epilog", literal_examples)
