#!/usr/bin/env python3
"""Groups sources for clang-tidy, which spends nine tenths of its time on headers: files of one folder with the same
flags become one source that includes them, as long as no name is defined at namespace scope by two of them. That one
file's names hide another's is possible all the same, so whoever sees a finding in a group has to look at its files.

usage: lint_groups.py COMPILE_COMMANDS OUTPUT_FOLDER FILE...

Writes OUTPUT_FOLDER/compile_commands.json and the grouped sources beside it, and prints these, one a line.
"""
import json
import os
import re
import sys

MOST = 8  # files of a group: beyond it little is saved, and the groups no longer fill all cores

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


def flags(entry):
    """The command without its input and output."""
    command = re.sub(r" -o \S+", "", entry["command"])
    return re.sub(r" -c \S+$", "", command)


def main():
    database, folder = sys.argv[1], sys.argv[2]
    wanted = {os.path.abspath(name) for name in sys.argv[3:]}
    os.makedirs(folder, exist_ok=True)
    with open(database, encoding="utf-8") as file:
        entries = {entry["file"]: entry for entry in json.load(file) if entry["file"] in wanted}
    groups = []  # [key, names, files]
    for name in sorted(entries):
        key = (os.path.dirname(name), flags(entries[name]))
        names = defined_names(name)
        for group in groups:
            if group[0] == key and len(group[2]) < MOST and not group[1] & names:
                group[1] |= names
                group[2].append(name)
                break
        else:
            groups.append([key, names, [name]])
    commands = []
    for number, (key, _, files) in enumerate(groups):
        source = os.path.join(os.path.abspath(folder), f"group_{number:03}.cpp")
        with open(source, "w", encoding="utf-8") as file:
            for name in files:
                file.write(f'#include "{name}"  // NOLINT\n')
        commands.append({"directory": entries[files[0]]["directory"], "command": f"{key[1]} -Wno-shadow -c {source}", "file": source})
        print(source)
    with open(os.path.join(folder, "compile_commands.json"), "w", encoding="utf-8") as file:
        json.dump(commands, file)


main()
