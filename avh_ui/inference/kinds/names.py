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
# What ends so, and is no class, grade or group, has no amounts even where it is 1, 2, 3 and 4: readers kept the average of grades and
# conditions, and asked what that of a status means.
NAMED_SORT = re.compile(r"(?:^|[_\W])(?:type|kind|category|status|state|zone|branch|sort)$")
# The place of a row among others: 2 and 13 are no amounts of which one is six times the other.
RANK = re.compile(r"^(?:sort[_\W]?)?(?:order|rank|ranking|priority|sequence)$")
PLACE = re.compile(r"(?:^|[_\W])(?:lat|latitude|latitudine|lon|lng|long|longitude|longitudine)")
# Named in full, few decimals are none the less degrees.
PLACE_IN_FULL = re.compile(r"(?:^|[_\W])(?:latitude|latitudine|longitude|longitudine)$")
LATITUDE = re.compile(r"(?:^|[_\W])(?:lat|latitude|latitudine)")
# A part of a date or of a time, and the ends that it has: what is called so and kept to them is one. Of two ways to count that of which
# both ends were there, else the first that the history keeps to: hours up to 23 where none was 24. A month or a day that nobody knows is 0.
_WEEKDAY = r"(?:^|[_\W])(?:weekday|dow|day[_\W]of[_\W]week)(?:$|[_\W])"
_MONTH = r"(?:^|[_\W])(?:month|mon|monat|mois|mese|mes)(?:$|[_\W])"
_DAY = r"(?:^|[_\W])(?:day|tag|jour|giorno|dia)(?:$|[_\W](?:no|nr|num|number)$)"
PARTS_OF_TIME = (
    (re.compile(_MONTH), 1.0, 12.0),
    (re.compile(_MONTH), 0.0, 12.0),
    (re.compile(_WEEKDAY), 0.0, 7.0),
    (re.compile(_WEEKDAY), 0.0, 6.0),
    (re.compile(_WEEKDAY), 1.0, 7.0),
    (re.compile(_DAY), 1.0, 31.0),
    (re.compile(_DAY), 0.0, 31.0),
    (re.compile(r"(?:^|[_\W])(?:quarter|qtr)(?:$|[_\W])"), 1.0, 4.0),
    (re.compile(r"(?:^|[_\W])(?:hour|hr)$"), 0.0, 23.0),
    (re.compile(r"(?:^|[_\W])(?:hour|hr)$"), 0.0, 24.0),
    (re.compile(r"(?:^|[_\W])minute$"), 0.0, 59.0),
    (re.compile(r"(?:^|[_\W])minute$"), 0.0, 60.0),
)
# What is called so in full is one however many of them come: hr may be home runs. Places of storms are told every six hours.
HOUR, MINUTE = re.compile(r"(?:^|[_\W])hour$"), re.compile(r"(?:^|[_\W])minute$")
# What may be one where its values are those of a day: from 0 to 23.
TIME = re.compile(r"(?:^|[_\W])(?:time|hour|hours|hr|hrs|uhr|stunde|ora|ore|heure|hora)(?:$|[_\W])")
# Degrees of a circle, from north or from its other side.
ANGLE = re.compile(r"(?:^|[_\W])(?:deg|degs|degree|degrees|azimuth|azi|bearing|heading|direction|dir|angle)(?:$|[_\W\d])")
# What people give, of 5, 10 or 100 at most.
RATING = re.compile(r"(?:^|[_\W])(?:rating|ratings|rated|stars|metascore)(?:$|[_\W])")
PERCENT = re.compile(r"(?:^|[_\W])(?:percent|percentage|perc|pct|humidity|humid)(?:$|[_\W])|%")
# Beside which a percentage says how much more or less there is of an amount than before: nothing loses more than all of it.
CHANGED = re.compile(r"(?:^|[_\W])(?:change|changes|chg|growth|variation|variazione|return|returns)(?:$|[_\W\d])")
YEAR = re.compile(r"(?:^|[_\W])(?:year|yr|jahr|anno|annee|ano)(?:$|[_\W])")
# What may be below 0 by nature, though it never was so far: degrees, and what is left between two amounts.
SIGNED = re.compile(
    r"(?:^|[_\W])(?:temp|temps|tmin|tmax|tavg|temperature|temperatur|temperatura|dewpt|dewpoint|dewp|celsius|fahrenheit|windchill|anomaly|"
    r"balance|saldo|profit|margin|pnl|net|delta|diff|difference|change|chg|variation|variazione|return|returns|elevation|altitude)(?:$|[_\W\d])"
)
