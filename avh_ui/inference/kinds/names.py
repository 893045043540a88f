"""What the names of columns of numbers tell, beside which their values say more or less."""

from __future__ import annotations

import re

# What names something is written so; together with the values alone it says anything.
NAMED = re.compile(
    r"(?:^|[_\W])(?:id|ids|code|codice|cod|key|no|nr|num|number|zip|postcode|cap|istat|fips|ref|barcode|ean|gtin|isbn)(?:$|[_\W\d])"
)
# These may as well say that something is counted (`number_of_beds`, `num_rides`), or be cap alone, as of a market: the values decide.
COUNTED_SO = re.compile(r"^(?:no|nr|num|number)[_\W]|(?:[_\W]|^)(?:no|nr|num|number)[_\W](?:of|di|de|von)[_\W]|[_\W]cap$")
# What ends (or begins) like this is a name, whatever its values; numbers of documents have several digits, `visits_no` may count them.
NAME = re.compile(
    r"(?:^|[_\W])(?:id|ids|code|codice|cod|zip|postcode|istat|fips|ref|barcode|ean|gtin|isbn)$|^(?:id|code|codice|cod)(?:$|[_\W])"
)
NUMBER = re.compile(r"(?:^|[_\W])(?:no|nr|num|number)$")
# What one row is of, in the singular, that nobody counts or measures: a whole number called so is the number of one.
ONE_OF = re.compile(
    r"(?:^|[_\W])(?:name|serial|continent|country|province|county|region|city|town|market|cluster|channel|department|dept|store|vendor|type|"
    r"category|precinct|district|ward|warehouse|branch|station)$"
)
# What sorts rows: of such the 2 between 1 and 3 is a sort that nobody is of.
SORT = re.compile(r"(?:^|[_\W])(?:class|classe|klasse|type|kind|category|group|status|state|grade|tier|zone|branch|sort)(?:$|[_\W\d])")
PLACE = re.compile(r"(?:^|[_\W])(?:lat|latitude|latitudine|lon|lng|long|longitude|longitudine)")
# Named in full, few decimals are none the less degrees.
PLACE_IN_FULL = re.compile(r"(?:^|[_\W])(?:latitude|latitudine|longitude|longitudine)$")
LATITUDE = re.compile(r"(?:^|[_\W])(?:lat|latitude|latitudine)")
