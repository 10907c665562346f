"""python3 declare.py mazurka.h OUT.py: what cffi has to know of the library, made from its header.

The result is plain Python, so that whoever imports the package needs neither a compiler nor the header.
"""
import re
import sys

import cffi


def declarations(header):
    """The header without what only a C compiler needs."""
    text = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
    text = re.sub(r"#ifdef __cplusplus.*?#endif", "", text, flags=re.S)
    lines = []
    for line in text.splitlines():
        constant = re.match(r"#define (MZ_\w+) (\d+)U?$", line)
        if constant:
            lines.append("#define %s %s" % constant.groups())
        elif not line.startswith("#"):
            lines.append(line)
    return "\n".join(lines)


def main(header, out):
    builder = cffi.FFI()
    builder.cdef(declarations(open(header, encoding="utf-8").read()))
    builder.set_source("_declarations", None)
    builder.emit_python_code(out)


if __name__ == "__main__":
    main(*sys.argv[1:])
