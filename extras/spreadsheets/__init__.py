"""Tables of individuals that another program has saved, such as a spreadsheet."""

from extras import Extra

EXTRA = Extra(tables=("extras.spreadsheets.tables",))
