#!/usr/bin/env python3
"""one_definition.py FOLDER...: fails when two source files define a class of one
qualified name.

C++ lets one program hold one definition of a class. Two different ones in two files
do not stop the build: the linker keeps one file's member functions in silence, and
the other file's callers use them on objects of another shape. A class that only its
own file needs belongs in an unnamed namespace.
"""
import pathlib
import re
import sys

TOKEN = re.compile(r"""//[^\n]*|/\*.*?\*/|^[ \t]*\#(?:\\\n|[^\n])*   # comment, directive
                       |R"(?P<delimiter>[^(\s]*)\(.*?\)(?P=delimiter)"
                       |"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'
                       |[A-Za-z_]\w*|::|[^\s]""", re.S | re.M | re.X)


def tokens(text):
    for match in TOKEN.finditer(text):
        token = match.group(0)
        if token.startswith(("//", "/*")) or token.lstrip().startswith("#"):
            continue
        yield '""' if token[0] in "\"'" or token.startswith('R"') else token


def opened(head):
    """What the '{' behind the tokens `head` opens: a namespace, a class or a block."""
    if "namespace" in head:
        names = [t for t in head[head.index("namespace") + 1:] if t != "::"]
        return "namespace", names or [None]
    if head and head[0] == "extern":
        return "namespace", []
    while "template" in head[:1]:  # template <...>
        depth, end = 0, 1
        for end in range(1, len(head)):
            depth += (head[end] == "<") - (head[end] == ">")
            if depth == 0:
                break
        head = head[end + 1:]
    for keyword in ("class", "struct", "union", "enum"):
        if keyword in head and "(" not in head and "=" not in head:
            rest = [t for t in head[head.index(keyword) + 1:] if t not in ("class", "struct")]
            length = 1  # struct Outer::Inner
            while rest[length:length + 1] == ["::"]:
                length += 2
            named = bool(rest) and re.match(r"[A-Za-z_]\w*$", rest[0])
            special = rest[length:length + 1] == ["<"]  # a specialisation: a name of its own
            return ("class", ["".join(rest[:length])]) if named and not special else ("block", [])
    return "block", []


def definitions(text):
    """Qualified names of the classes at namespace scope, but for unnamed ones."""
    scopes, head = [], []
    for token in tokens(text):
        if token == "{":
            kind, names = opened(head)
            if kind == "class" and all(k == "namespace" for k, _ in scopes):
                path = [n for _, ns in scopes for n in ns]
                if None not in path:
                    yield "::".join(path + names)
            scopes.append((kind, names))
            head = []
        elif token == "}":
            if scopes:
                scopes.pop()
            head = []
        elif token == ";":
            head = []
        else:
            head.append(token)


def main(folders):
    places = {}
    for folder in folders:
        for file in sorted(pathlib.Path(folder).rglob("*")):
            if file.suffix in (".h", ".cpp") and "share" not in file.parts:
                for name in definitions(file.read_text()):
                    places.setdefault(name, set()).add(str(file))
    double = {name: files for name, files in places.items() if len(files) > 1}
    for name, files in sorted(double.items()):
        print(f"{name} is defined in {' and '.join(sorted(files))}")
    if not places:
        print("no class was found in " + " ".join(folders))
    return 1 if double or not places else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
