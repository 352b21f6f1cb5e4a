"""Writes the site of cmake/site.sh: site.py FOLDER COMMAND REFERENCE

Each document becomes a page at its own path, README.md as index.html, and so does each source file that a document links. All links
are relative to the page, so that the site works in any folder of a server and from the disk.
"""

import html
import math
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import markdown_it
import markdown_it.token
import mdit_py_plugins.anchors
import pygments
import pygments.formatters
import pygments.lexers
import pygments.util

TOP = pathlib.Path(__file__).resolve().parents[1]
QUESTIONS = "examples/README.md"  # whose sections are questions, with the commands that answer them
REPORT = "tests/accuracy/README.md"  # whose tables have a row for each prediction with its measurement
SOURCES = (".c", ".cc", ".csv", ".def", ".h", ".json", ".lua", ".md", ".py", ".sh", ".txt", ".yml")
LONGEST_SOURCE = 300_000
WIDTH, HEIGHT, SECTION_HEIGHT = 1180, 760, 420  # of a picture
NAVIGATION = (
    ("index.html", "hloroof"),
    ("gallery/index.html", "Gallery"),
    ("accuracy/index.html", "Accuracy"),
    ("bench/predictors/index.html", "All predictors"),
    ("examples/index.html", "Examples"),
    ("data/hardware/index.html", "Devices"),
    ("lib/fronts/python/index.html", "Python"),
    ("lib/index.html", "Source tree"),
    ("reference/index.html", "C++ reference"),
    ("browser/index.html", "In the browser"),
    ("CHANGES.html", "Changes"),
)
NO_REFERENCE = """<h1>C++ reference</h1>
<p>This site was made without doxygen. After <code>apt-get install doxygen</code>, <code>bash cmake/site.sh</code> adds the reference
of the public headers.</p>"""
NO_BROWSER = """<h1>In the browser</h1>
<p>The report page can have the library inside: drop a dump on it, choose a device, and nothing leaves the machine. This site was
made without it. <code>bash cmake/browser.sh</code> builds it (it installs emscripten), and <code>bash cmake/site.sh</code> then takes
it along.</p>"""
STYLE = """
:root { color-scheme: light dark; --text: #1c2330; --back: #fff; --soft: #f3f5f8; --line: #d8dee8; --link: #0b5cad; }
@media (prefers-color-scheme: dark) {
  :root { --text: #dfe5ee; --back: #14181f; --soft: #1d232d; --line: #333c4a; --link: #7fb8f5; }
}
body { margin: 0; font: 16px/1.55 system-ui, sans-serif; color: var(--text); background: var(--back); }
nav { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; padding: .7rem 1.2rem; background: var(--soft); border-bottom: 1px solid var(--line); }
nav a { text-decoration: none; } nav a[aria-current] { font-weight: 600; color: var(--text); }
main { max-width: 62rem; margin: 0 auto; padding: 1rem 1.2rem 4rem; }
a { color: var(--link); } img { max-width: 100%; height: auto; }
pre { overflow-x: auto; padding: .8rem 1rem; background: var(--soft); border: 1px solid var(--line); border-radius: 6px; font-size: 13px; line-height: 1.4; }
code { font-family: ui-monospace, 'DejaVu Sans Mono', monospace; } :not(pre) > code { background: var(--soft); padding: .1em .25em; border-radius: 3px; font-size: .9em; }
table { border-collapse: collapse; display: block; overflow-x: auto; font-size: .92em; }
th, td { border: 1px solid var(--line); padding: .25rem .6rem; text-align: left; vertical-align: top; } th { background: var(--soft); }
tr:target td { background: #ffe9a8; color: #1c2330; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 34rem), 1fr)); gap: 1.4rem; }
.cards article { border: 1px solid var(--line); border-radius: 8px; padding: 1rem; min-width: 0; }
.cards h2 { font-size: 1.05rem; margin: 0 0 .6rem; } .cards img { border: 1px solid var(--line); border-radius: 4px; }
.cards p code { overflow-wrap: anywhere; }
.cards pre { max-height: 24rem; overflow: auto; font-size: 11px; }
.gallery main, .accuracy main { max-width: 84rem; }
svg text { fill: var(--text); font: 12px system-ui, sans-serif; } svg .axis { stroke: var(--line); } svg .even { stroke: var(--text); stroke-dasharray: 5 4; }
svg a:hover circle, svg a:focus circle { stroke: var(--text); stroke-width: 3; }
.legend { list-style: none; padding: 0; columns: 2; } .legend svg { vertical-align: middle; }
@media (max-width: 40rem) { .accuracy svg text { font-size: 18px; } .legend { columns: 1; } }
"""


def page_of(path):
    """Where the page of a file or folder of the repository lies in the site."""
    if (TOP / path).is_dir():
        return os.path.normpath(f"{path}/index.html")
    if path.endswith(".md"):
        return re.sub(r"README\.md$", "index.html", path).replace(".md", ".html")
    return path + ".html"


def is_picture(path):
    return path.endswith((".png", ".svg"))


class Site:
    def __init__(self, out, command):
        self.out, self.command = out, command
        self.rows = []  # of the tables of REPORT: heading of the section, header cells, cells, id
        self.waiting = []
        self.known = set()
        self.broken = []
        self.tracked = set(subprocess.run(["git", "ls-files"], cwd=TOP, capture_output=True, text=True, check=True).stdout.split("\n"))
        self.markdown = markdown_it.MarkdownIt("commonmark", {"highlight": self.highlighted}).enable("table")
        self.markdown.use(mdit_py_plugins.anchors.anchors_plugin, max_level=4)
        self.formatter = pygments.formatters.HtmlFormatter(nowrap=True, noclasses=False)
        light = self.formatter.get_style_defs("pre")
        dark = pygments.formatters.HtmlFormatter(style="github-dark").get_style_defs("pre")
        style = f"{STYLE}{light}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}\n"
        style += "pre { background: var(--soft) !important; color: var(--text); }\n"
        self.file("style.css").write_text(style, encoding="utf-8")

    def file(self, path):
        made = self.out / path
        made.parent.mkdir(parents=True, exist_ok=True)
        return made

    def highlighted(self, code, language, _attributes):
        try:
            return pygments.highlight(code, pygments.lexers.get_lexer_by_name(language or "text"), self.formatter)
        except pygments.util.ClassNotFound:
            return html.escape(code)

    def write(self, path, title, body, kind=""):
        def link(target):
            return os.path.relpath(target, os.path.dirname(path) or ".")

        items = "".join(
            f'<a href="{link(target)}"{" aria-current=page" if target == path else ""}>{name}</a>' for target, name in NAVIGATION
        )
        self.file(path).write_text(
            f'<!doctype html>\n<html lang="en" class="{kind}">\n<meta charset="utf-8">\n'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{html.escape(title)}</title>\n'
            f'<link rel="stylesheet" href="{link("style.css")}">\n<nav>{items}</nav>\n<main>\n{body}\n</main>\n</html>\n',
            encoding="utf-8",
        )

    def add(self, path):
        """Asks for the page of a file or folder."""
        if path not in self.known:
            self.known.add(path)
            self.waiting.append(path)

    def target(self, document, link):
        """A link of a document as a link of its page."""
        path, _, fragment = link.partition("#")
        if not path or re.match(r"[a-z]+:", link):
            return link
        of = os.path.normpath(os.path.join(os.path.dirname(document), path))
        if not (TOP / of).exists():
            self.broken.append(f"{document} links {link}, which is not there")
            return link
        if (TOP / of).is_dir() and (TOP / of / "README.md").exists():
            of = os.path.normpath(f"{of}/README.md")
        self.add(of)
        made = of if is_picture(of) else page_of(of)
        return os.path.relpath(made, os.path.dirname(page_of(document)) or ".") + (f"#{fragment}" if fragment else "")

    def linked(self, document, children):
        """The inline tokens of a document with a link around each code that is the path of a file."""
        of, depth = [], 0
        for child in children:
            depth += {"link_open": 1, "link_close": -1}.get(child.type, 0)
            found = None
            if child.type == "code_inline" and depth == 0 and child.content.endswith(SOURCES):
                folders = (os.path.dirname(document), "")
                paths = [os.path.normpath(os.path.join(folder, child.content)) for folder in folders]
                found = next((path for path in paths if path in self.tracked), None)
            if found:
                link = os.path.relpath(found, os.path.dirname(document) or ".")
                of += [markdown_it.token.Token("link_open", "a", 1, attrs={"href": link}), child]
                of.append(markdown_it.token.Token("link_close", "a", -1))
            else:
                of.append(child)
        return of

    def document(self, path):
        tokens = self.markdown.parse((TOP / path).read_text(encoding="utf-8"))
        title, heading, header, cells, count, in_body = path, "", [], [], 0, False
        for index, token in enumerate(tokens):
            if token.children and tokens[index - 1].type != "heading_open":
                token.children = self.linked(path, token.children)
            for child in token.children or []:
                for name in ("href", "src"):
                    if name in child.attrs:
                        child.attrs[name] = self.target(path, child.attrs[name])
            if token.type == "heading_open":
                heading = re.sub(r"[`*]", "", tokens[index + 1].content)
                title = heading if token.tag == "h1" else title
            elif token.type in ("tbody_open", "tbody_close"):
                in_body = token.type == "tbody_open"
            elif token.type == "tr_open":
                cells = []
                if in_body:
                    count += 1
                    token.attrSet("id", f"row-{count}")
            elif token.type in ("th_open", "td_open"):
                cells.append(tokens[index + 1].content)
            elif token.type == "tr_close":
                if not in_body:
                    header = cells
                elif path == REPORT:
                    self.rows.append((heading, header, cells, f"row-{count}"))
        self.write(page_of(path), title, self.markdown.renderer.render(tokens, self.markdown.options, {}))

    def folder(self, path):
        entries = sorted((TOP / path).iterdir(), key=lambda each: (each.is_file(), each.name))
        items = []
        for entry in entries:
            if entry.name.startswith((".", "__")):
                continue
            items.append(f'<li><a href="{self.target(f"{path}/index", entry.name)}">{entry.name}</a></li>')
        self.write(page_of(path), path, f"<h1>{html.escape(path)}</h1>\n<ul>\n" + "\n".join(items) + "\n</ul>")

    def source(self, path):
        data = (TOP / path).read_bytes()
        name = html.escape(os.path.basename(path))
        title = f'<h1>{html.escape(path)}</h1>\n<p><a href="{name}" download>{name}</a>, {len(data):,} bytes</p>\n'
        shutil.copyfile(TOP / path, self.file(path))
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            text = None
        if text is None or len(text) > LONGEST_SOURCE:
            self.write(page_of(path), path, title)
            return
        try:
            lexer = pygments.lexers.get_lexer_for_filename(path)
        except pygments.util.ClassNotFound:
            lexer = pygments.lexers.get_lexer_by_name("text")
        self.write(page_of(path), path, f"{title}<pre><code>{pygments.highlight(text, lexer, self.formatter)}</code></pre>")

    def pages(self):
        while self.waiting:
            path = self.waiting.pop()
            if is_picture(path):
                shutil.copyfile(TOP / path, self.file(path))
            elif (TOP / path).is_dir():
                self.folder(path)
            elif path.endswith(".md"):
                self.document(path)
            else:
                self.source(path)

    def run(self, arguments):
        return subprocess.run([self.command, *arguments], cwd=TOP, capture_output=True, text=True, check=True)


# The gallery ---------------------------------------------------------------------------------------------------------------------


def questions():
    """The questions of the examples with the first command that answers each and what it prints."""
    sections = re.split(r"^## (.*\?)$", (TOP / QUESTIONS).read_text(encoding="utf-8"), flags=re.MULTILINE)
    for question, text in zip(sections[1::2], sections[2::2]):
        shown = re.search(r"^```console\n\$ build/release/hloroof (.*)\n((?:(?!\$ |```).*\n)*)", text, re.MULTILINE)
        if shown:
            yield question, shown.group(1), shown.group(2)


def report_of(arguments):
    """The arguments that make the report page of a command, and the place of the page that answers; None if it has no page."""
    command, rest = arguments[0], arguments[1:]
    files, options = [], {}
    while rest:
        word = rest.pop(0)
        if word.startswith("-") and rest:
            options[word] = rest.pop(0)
        else:
            files.append(word)
    device = options.get("--device")
    if command == "compare":
        return ["compare", *files, "--device", device, "--profile", options["--profile"]], ""
    if command == "explain":
        return ["predict", files[0], "--device", device], f"op={files[1]}"
    if command in ("predict", "memory"):
        return ["predict", *files, "--device", device], options.get("--view", "memory" if command == "memory" else "")
    if command == "sweep":
        return ["predict", *files, "--device", device], ""
    if command == "diff" and device:
        return ["predict", *files, "--device", device], ""
    return None


def picture(page, fragment, image):
    """Draws a page as it first appears, or the section of it that the fragment names. Returns the height; 0 without Chromium."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not chromium:
        return 0
    height = HEIGHT
    with tempfile.TemporaryDirectory() as folder:
        shown = pathlib.Path(folder, "page.html")
        text = page.read_text(encoding="utf-8")
        if fragment and "=" not in fragment:  # headless Chromium draws nothing of a page that is scrolled
            text += f"<style>main > *:not(:has(#{fragment})) {{ display: none }}</style>"
            fragment, height = "", SECTION_HEIGHT
        shown.write_text(text, encoding="utf-8")
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={folder}/profile"]
        options += [f"--window-size={WIDTH},{height}", f"--screenshot={image}"]
        subprocess.run([chromium, *options, f"file://{shown}#{fragment}"], capture_output=True, timeout=120, check=True)
    return height if image.exists() else 0


def gallery(site):
    cards, pictures = [], 0
    for number, (question, command, printed) in enumerate(questions(), 1):
        made = report_of(shlex.split(command.split("|")[0].split("&&")[0]))
        inside = f'<pre><code>{html.escape(printed)}</code></pre>'
        if made:
            arguments, fragment = made
            name = f"{number}.html"
            site.run([*arguments, "--format", "html", "-o", str(site.file(f"gallery/{name}"))])
            link = f"{name}#{html.escape(fragment)}" if fragment else name
            inside = f'<p><a href="{link}">The page</a> of this program answers it.</p>'
            height = picture(site.out / "gallery" / name, fragment, site.file(f"gallery/{number}.png"))
            if height:
                pictures += 1
                said = f"The report page of {html.escape(arguments[1])}"
                inside = f'<a href="{link}"><img src="{number}.png" alt="{said}" width="{WIDTH}" height="{height}"></a>'
        anchor = mdit_py_plugins.anchors.index.slugify(question)
        cards.append(
            f'<article><h2><a href="../{page_of(QUESTIONS)}#{anchor}">{html.escape(question)}</a></h2>\n'
            f"<p><code>hloroof {html.escape(command)}</code></p>\n{inside}</article>"
        )
    note = "" if pictures else "<p>This site was made without Chromium, which draws the pictures.</p>"
    body = (
        f"<h1>Questions and their answers</h1>\n<p>{len(cards)} questions that hloroof answers about the dumps in <code>examples</code>. "
        f"A picture is the page that <code>--format html</code> writes, and leads to it; a question leads to its explanation.</p>{note}\n"
        f'<div class="cards">\n{"".join(cards)}\n</div>'
    )
    site.write("gallery/index.html", "Gallery", body, "gallery")
    return len(cards), pictures


# The accuracy --------------------------------------------------------------------------------------------------------------------

UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
COLORS = ("#1f77b4", "#d95f02", "#2a9d4e", "#c2185b", "#7b52ab", "#8c6d1f", "#008b8b", "#5c6bc0", "#b23a2e", "#607d1f")


def seconds(text):
    """The seconds of "93.5 ms", or the middle of "89.4 ms to 98.8 ms"."""
    found = re.findall(r"([0-9][0-9.]*) (ns|us|ms|s)\b", text)
    return sum(float(value) * UNITS[unit] for value, unit in found) / len(found) if found else None


def points(rows):
    for heading, header, cells, anchor in rows:
        measured = next((name for name in ("measured", "observed", "reference") if name in header), None)
        if "predicted" not in header or measured is None:
            continue
        x, y = seconds(cells[header.index(measured)]), seconds(cells[header.index("predicted")])
        if x and y:
            yield heading, header[0] == "furthest off", cells[0], x, y, anchor


def accuracy(site):
    found = list(points(site.rows))
    headings = list(dict.fromkeys(heading for heading, *_ in found))
    low = math.floor(math.log10(min(min(x, y) for _, _, _, x, y, _ in found)))
    high = math.ceil(math.log10(max(max(x, y) for _, _, _, x, y, _ in found)))
    size, left, top = 640, 96, 20

    def at(value):
        return (math.log10(value) - low) / (high - low) * size

    def dot(color, hollow):
        return f'r="5" fill="{"none" if hollow else color}" fill-opacity="0.75" stroke="{color}" stroke-width="1.5"'

    drawn = []
    for power in range(low, high + 1):
        place = (power - low) / (high - low) * size
        label = next(f"{10**power / scale:g} {unit}" for unit, scale in reversed(UNITS.items()) if 10.0**power >= scale * 0.999)
        drawn.append(f'<line class="axis" x1="{left + place:.1f}" y1="{top}" x2="{left + place:.1f}" y2="{top + size}"/>')
        drawn.append(f'<line class="axis" x1="{left}" y1="{top + size - place:.1f}" x2="{left + size}" y2="{top + size - place:.1f}"/>')
        drawn.append(f'<text x="{left + place:.1f}" y="{top + size + 18}" text-anchor="middle">{label}</text>')
        drawn.append(f'<text x="{left - 8}" y="{top + size - place + 4:.1f}" text-anchor="end">{label}</text>')
    drawn.append(f'<line class="even" x1="{left}" y1="{top + size}" x2="{left + size}" y2="{top}"/>')
    drawn.append(f'<text x="{left + size / 2}" y="{top + size + 42}" text-anchor="middle">measured</text>')
    drawn.append(f'<text transform="translate(14 {top + size / 2}) rotate(-90)" text-anchor="middle">predicted</text>')
    for heading, hollow, name, x, y, anchor in found:
        title = f"{name}: predicted {y:.4g} s, measured {x:.4g} s, {y / x - 1:+.1%} ({heading})"
        drawn.append(
            f'<a href="../{page_of(REPORT)}#{anchor}"><title>{html.escape(title)}</title>'
            f'<circle cx="{left + at(x):.1f}" cy="{top + size - at(y):.1f}" {dot(COLORS[headings.index(heading) % len(COLORS)], hollow)}/></a>'
        )
    legend = []
    for index, heading in enumerate(headings):
        color = COLORS[index % len(COLORS)]
        count = sum(of == heading for of, *_ in found)
        anchor = mdit_py_plugins.anchors.index.slugify(heading)
        legend.append(
            f'<li><svg width="14" height="14"><circle cx="7" cy="7" {dot(color, False)}/></svg> '
            f'<a href="../{page_of(REPORT)}#{anchor}">{html.escape(heading)}</a>: {count}</li>'
        )
    worst = sum(hollow for _, hollow, *_ in found)
    body = (
        f"<h1>Measured against predicted</h1>\n<p>The {len(found)} rows of <a href=\"../{page_of(REPORT)}\">the accuracy report</a> that "
        f"state both times; a point leads to its row. {worst} of them, drawn hollow, are in the tables of those that are furthest off, "
        "so the picture shows the largest errors and few of the others: the report has the median errors of all rows. On the broken line the "
        f"prediction is the measurement; above it, it is too long.</p>\n"
        f'<svg viewBox="0 0 {left + size + 30} {top + size + 55}" style="max-width:54rem;width:100%" aria-label="Measured against predicted times">'
        f'{"".join(drawn)}</svg>\n<ul class="legend">{"".join(legend)}</ul>'
    )
    site.write("accuracy/index.html", "Accuracy", body, "accuracy")
    return len(found)


# The rest ------------------------------------------------------------------------------------------------------------------------


def main(out, command, reference):
    site = Site(pathlib.Path(out), str(pathlib.Path(command).resolve()))
    for path in ["CHANGES.md", "CONTRIBUTING.md", "LICENSE", *sorted(each for each in site.tracked if each.endswith("README.md"))]:
        site.add(path)
    site.pages()
    cards, pictures = gallery(site)
    drawn = accuracy(site)
    if reference:
        shutil.copytree(reference, site.out / "reference")
    else:
        site.write("reference/index.html", "C++ reference", NO_REFERENCE)
    browser = TOP / "build/browser/site"
    if (browser / "hloroof.js").exists():  # without it, the build has not come to its end
        shutil.copytree(browser, site.out / "browser")
    else:
        site.write("browser/index.html", "In the browser", NO_BROWSER)
    if site.broken:
        raise SystemExit("site: " + "\nsite: ".join(site.broken))
    print(f"site: {out}: {len(site.known)} documents and sources, {cards} questions with {pictures} pictures, {drawn} points")


main(*sys.argv[1:])
