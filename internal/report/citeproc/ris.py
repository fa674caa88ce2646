"""Reads a RIS file by rispy and prints its entries as JSON. For tests only."""

import json
import sys

import rispy

with open(sys.argv[1], encoding="utf-8", newline="") as file:
    json.dump(rispy.load(file), sys.stdout)
