"""Icons as SVG text: font icons need files that a notebook does not have."""

from __future__ import annotations


def _svg(path: str) -> str:
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="currentColor"><path d="{path}"/></svg>'


ACCEPT = _svg("M9 16.2 4.8 12l-1.4 1.4L9 19 21 7l-1.4-1.4z")
REJECT = _svg("M19 6.4 17.6 5 12 10.6 6.4 5 5 6.4 10.6 12 5 17.6 6.4 19 12 13.4 17.6 19 19 17.6 13.4 12z")
ADD = _svg("M19 13h-6v6h-2v-6H5v-2h6V5h2v6h6z")
UNDO = _svg("M12.5 8c-2.7 0-5 1-6.9 2.6L2 7v9h9l-3.6-3.6A8 8 0 0 1 20 16l2.4-.8A10.5 10.5 0 0 0 12.5 8z")
REDO = _svg("M11.5 8c2.7 0 5 1 6.9 2.6L22 7v9h-9l3.6-3.6A8 8 0 0 0 4 16l-2.4-.8A10.5 10.5 0 0 1 11.5 8z")
REFRESH = _svg("M17.65 6.35A8 8 0 1 0 19.73 14h-2.08A6 6 0 1 1 12 6c1.66 0 3.14.69 4.22 1.78L13 11h7V4z")
HELP = _svg("M11 18h2v-2h-2zm1-16a10 10 0 1 0 0 20 10 10 0 0 0 0-20m0 18a8 8 0 1 1 0-16 8 8 0 0 1 0 16m0-14a4 4 0 0 0-4 4h2a2 2 0 1 1 4 0"
            "c0 2-3 1.75-3 5h2c0-2.25 3-2.5 3-5a4 4 0 0 0-4-4")  # fmt: skip
SAVE = _svg("M17 3H5a2 2 0 0 0-2 2v14a2 2 0 0 0 2 2h14a2 2 0 0 0 2-2V7zm-5 16a3 3 0 1 1 0-6 3 3 0 0 1 0 6m3-10H5V5h10z")
DOWNLOAD = _svg("M5 20h14v-2H5zM19 9h-4V3H9v6H5l7 7z")
PUBLISH = _svg("M5 4v2h14V4zm0 10h4v6h6v-6h4l-7-7z")
LEAVE = _svg("M17 7l-1.4 1.4L18.2 11H8v2h10.2l-2.6 2.6L17 17l5-5zM4 5h8V3H4a2 2 0 0 0-2 2v14a2 2 0 0 0 2 2h8v-2H4z")
# The product's mark: a line that leaves its band once.
LOGO = (
    "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'><rect width='32' height='32' rx='7' fill='#0072B2'/>"
    "<rect x='5' y='12' width='22' height='10' rx='2' fill='#56B4E9' opacity='.55'/>"
    "<path d='M5 18l4-3 4 4 4-11 4 10 3-3 3 2' fill='none' stroke='#fff' stroke-width='2.2' stroke-linejoin='round'/>"
    "<circle cx='17' cy='8' r='2.6' fill='#E69F00'/></svg>"
)
