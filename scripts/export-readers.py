"""Reads a bibliography that citewell exported, by the libraries of others.

For tests only; internal/report/readers_test.go runs it with the Python that
scripts/test-setup.sh installs.
Arguments: a BibTeX file and a CSL-JSON file. Prints one JSON object: the entries of the
first with LaTeX read, the blocks of it that could not be read, the items of the second,
and these as citeproc sets them in a Harvard style.
"""

import json
import sys
import warnings

import bibtexparser
from bibtexparser.middlewares import LatexDecodingMiddleware
from citeproc import Citation, CitationItem, CitationStylesBibliography, CitationStylesStyle, formatter
from citeproc.source.json import CiteProcJSON

warnings.simplefilter("ignore")
bibtex, csl = sys.argv[1:]
library = bibtexparser.parse_file(bibtex, encoding="utf-8", append_middleware=[LatexDecodingMiddleware()])
with open(csl, encoding="utf-8") as file:
    items = json.load(file)
source = CiteProcJSON(items)
bibliography = CitationStylesBibliography(CitationStylesStyle("harvard-cite-them-right", validate=False), source, formatter.plain)
for key in source:
    bibliography.register(Citation([CitationItem(key)]))
json.dump(
    {
        "entries": [{**{f.key: f.value for f in e.fields}, "type": e.entry_type, "key": e.key} for e in library.entries],
        "failed": len(library.failed_blocks),
        "items": {key: {"type": item["type"], "title": str(item["title"])} for key, item in source.items()},
        "set": [str(line) for line in bibliography.bibliography()],
    },
    sys.stdout,
)
