#!/usr/bin/env python3
"""Prints the program of README whose first line is this one:
readme.py '#include <mazurka.h>' or readme.py 'import mazurka'."""
import os
import sys


def program(first, path=os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "README")):
    lines = open(path, encoding="utf-8").read().split("\n")
    begin = lines.index("    " + first)
    end = begin
    while end < len(lines) and (lines[end].startswith("    ") or not lines[end]):
        end += 1
    return "\n".join(line[4:] for line in lines[begin:end]).rstrip() + "\n"


if __name__ == "__main__":
    sys.stdout.write(program(sys.argv[1]))
