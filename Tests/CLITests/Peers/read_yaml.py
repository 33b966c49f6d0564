"""Prints a YAML file as JSON.

usage: read_yaml.py FILE
"""

import json
import sys

import yaml

with open(sys.argv[1]) as file:
    print(json.dumps(yaml.safe_load(file)))
