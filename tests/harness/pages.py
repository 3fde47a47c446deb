"""Generated parts of hand-written pages: what stands between two markers, each a line of its own."""

import re


def between(page, begin, end):
    """What stands between the markers now."""
    return region(page.read_text(), page, begin, end).group(2)


def replace(page, begin, end, text):
    """Puts `text` between the markers."""
    old = page.read_text()
    found = region(old, page, begin, end)
    new = f"{old[: found.start(2)]}{text}{old[found.end(2) :]}"
    if new != old:
        page.write_text(new)


def region(text, page, begin, end):
    found = re.search(f"({re.escape(begin)}\n)(.*?)({re.escape(end)})", text, re.DOTALL)
    if not found:
        raise SystemExit(f"{page.name} has lost its markers; put back `{begin}` and `{end}`")
    return found
