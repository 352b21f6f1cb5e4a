"""Checks that every relative link, image and fragment of a site of plain files leads somewhere: check_links.py FOLDER

Fragments of pages that doxygen made are left out: it links sections that it did not write.
"""

import collections
import html.parser
import pathlib
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links, self.ids = [], set()
        text = path.read_text(encoding="utf-8")
        self.by_doxygen = 'content="Doxygen' in text
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("id", "name") and value:
                self.ids.add(value)
            if name in ("href", "src", "xlink:href") and value:
                self.links.append(value)


def main(folder):
    folder = pathlib.Path(folder).resolve()
    pages = {path: Page(path) for path in sorted(folder.rglob("*.html"))}
    wrong, count = collections.Counter(), 0
    for path, page in pages.items():
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            count += 1
            target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            said = f"{path.relative_to(folder)}: {link}"
            if link.startswith("/") or folder not in target.parents and target != folder:
                wrong[f"{said} leaves the site"] += 1
            elif not target.is_file():  # a folder has no page when the site is read from the disk
                wrong[f"{said} is no file"] += 1
            elif page.by_doxygen or not parts.fragment or "=" in parts.fragment or target not in pages:
                continue
            elif urllib.parse.unquote(parts.fragment) not in pages[target].ids:
                wrong[f"{said} is no place of that page"] += 1
    print("\n".join(sorted(wrong)[:50]), end="\n" if wrong else "")
    print(f"{len(pages)} pages, {count} links inside the site, {len(wrong)} lead nowhere")
    return 1 if wrong or not pages else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
