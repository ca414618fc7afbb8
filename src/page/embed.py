#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""embed.py SOURCE FILE...: writes a source of C with each file as a string, and with the hash by which a Content Security
Policy names it."""
import base64
import hashlib
import sys


def main(source, *paths):
    with open(source, "w", encoding="ascii") as out:
        out.write('#include "page/page-files.h"\n')
        for path in paths:
            name = path.split("/")[-1].replace(".", "_")
            with open(path, "rb") as file:
                data = file.read()
            if b"</" in data or not data.isascii():
                sys.exit("%s: not ASCII, or with '</', which would end the element that has the file" % path)
            digest = base64.b64encode(hashlib.sha256(data).digest()).decode("ascii")
            out.write('const char %s_hash[] = "sha256-%s";\n' % (name, digest))
            out.write("const char %s[] = {\n" % name)
            for at in range(0, len(data), 16):
                out.write("\t" + ", ".join(str(byte) for byte in data[at : at + 16]) + ",\n")
            out.write("\t0,\n};\n")


main(*sys.argv[1:])
