"""A text to send to somebody: folded, copied by one press, and handed to the reader's mail or to a link where there is one."""

from __future__ import annotations

import param

from avh_ui.ui.components.component import Component
from avh_ui.ui.theme import TOKENS


class CopiedText(Component):
    """`text` stands below `title`, once that is unfolded; `mail` is the address that it goes to with its `subject`, `link` a page to open
    instead. An address or a link that is '' has no button.
    """

    title = param.String(default="")
    text = param.String(default="")
    subject = param.String(default="")
    mail = param.String(default="")
    link = param.String(default="")

    _stylesheets = [TOKENS]
