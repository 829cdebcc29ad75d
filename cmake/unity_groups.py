#!/usr/bin/env python3
"""Groups the sources of one target, so that the headers they share are read once for several. No two files of a group
define the same name at namespace scope.

usage: unity_groups.py FILE...

Prints the groups of more than one file, one a line, files separated by semicolons.
"""
import os
import re
import sys

MOST = 8  # files of a group: beyond it little is saved, and the groups no longer fill all cores
ALONE = re.compile(r"^#\s*define\s+HWY_TARGET_INCLUDE", re.MULTILINE)  # sources that include themselves

CALLED = re.compile(r"(?<![\w.>:])(\w+)\(")
NAME = re.compile(
    r"^(?:template\s*<[^>]*>\s*)?(?:\[\[\w+\]\]\s*)?"
    r"(?:(?:struct|class|enum class|enum|union)\s+(\w+)"
    r"|(?:[\w:<>,&*\s\[\]()]*?[\s&*>])(\w+)\s*(?:\(|=|\{|;|\[))"
)


def defined_names(path):
    """Names that a line without indentation may define, and macros: more than there are is safe, fewer is not."""
    names = set()
    with open(path, encoding="utf-8") as file:
        for line in file:
            macro = re.match(r"\s*#\s*define\s+(\w+)", line)
            if macro:
                names.add(macro.group(1))
            if line[:1].isspace() or line.startswith(("#", "//", "}", "namespace", "using")):
                continue
            if line.startswith(("constexpr", "const", "static", "inline")):
                names.update(re.findall(r"(\w+)\s*[={\[]", line))
            match = NAME.match(line)
            if match:
                names.add(match.group(1) or match.group(2))
    return names - {"const"}


def main():
    groups = []  # [folder, names, files]
    for path in sorted(sys.argv[1:]):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if ALONE.search(text):
            continue
        names = defined_names(path)
        # A function of a file before may also hide the one of a header that this file calls.
        taken = names | set(CALLED.findall(text))
        for group in groups:
            if group[0] == os.path.dirname(path) and len(group[2]) < MOST and not group[1] & taken:
                group[1] |= names
                group[2].append(path)
                break
        else:
            groups.append([os.path.dirname(path), names, [path]])
    for _, _, files in groups:
        if len(files) > 1:
            print(";".join(files))


main()
