"""Where a function is, by its name (HACKING, "Where a function is"), and whether anybody calls it."""
import collections
import os
import re

DECLARED = re.compile(r"^(?!typedef\b|return\b|else\b)(?:[A-Za-z_]\w*[ *]+)+(?!__attribute__)(\w+)\(", re.M)
DEFINED = re.compile(r"^(?!typedef\b|static\b|extern\b)(?:[A-Za-z_]\w*[ *]+)+(\w+)\([^;{}]*\)\s*\n\{", re.M)


def plain(text):
    """Without comments, and without what the preprocessor makes: functions of tables are named by their tables."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return re.sub(r"^#.*(?:\\\n.*)*$", "", text, flags=re.M)


def stem(path):
    return os.path.basename(path).rpartition(".")[0]


def begins(name, word):
    return name == word or name.startswith(word + "_")


def of_file(name, path):
    """Is it x_..., or folder_x_..., where x is the file's name, be it in the singular or the plural?"""
    word, folder = stem(path), os.path.basename(os.path.dirname(path))
    for x in (word, word + "s", word[:-1] if word.endswith("s") else word):
        if begins(name, x) or begins(name, folder + "_" + x):
            return True
    return False


def functions(read, sources):
    """What headers declare: where, and where it is defined, which for inline ones is the header."""
    declared, defined = {}, {}
    for path in sources("src", ".h"):
        text = plain(read(path))
        inline = set(re.findall(r"^static inline (?:\w+[ *]+)+(\w+)\(", text, re.M))
        for name in DECLARED.findall(text):
            if not name.startswith("G_DEFINE"):
                declared.setdefault(name, []).append(path)
                if name in inline:
                    defined.setdefault(name, []).append(path)
    for path in sources("src", (".c", ".cc")):
        for name in DEFINED.findall(plain(read(path))):
            if name in declared:
                defined.setdefault(name, []).append(path)
    return declared, defined


def wholes(path, there):
    """The files that this one is a part of: x.c for an x_y.c that has no header; all of its folder for a header that
    the files of a folder share, that is, one without a .c."""
    folder, word = os.path.split(path[:-2])
    if path.endswith(".h") and path[:-2] + ".c" not in there:
        return [other for other in there if os.path.dirname(other) == folder]
    parts = word.split("_")
    shorter = [os.path.join(folder, "_".join(parts[:n])) for n in range(1, len(parts))]
    return [x + ".c" for x in shorter if path[:-2] + ".h" not in there and {x + ".c", x + ".h"} & there]


def names(check, read, sources):
    """From the name of a function its file can be guessed. The interfaces for others (mz_, mazurka_) have names of
    their own."""
    _, defined = functions(read, sources)
    there = set(sources("src", (".c", ".h")))
    users = collections.defaultdict(set)
    for name, paths in defined.items():
        for path in paths:
            if name.startswith(("mz_", "mazurka_")) or path == "src/certify/unpack_refused.c":
                continue
            check(of_file(name, path) or any(of_file(name, whole) for whole in wholes(path, there)),
                  "%s: the name of %s() does not say that it is here" % (path, name))
            if begins(name, stem(path)):
                users[stem(path)].add(path)
    for word, paths in users.items():
        folders = set(os.path.dirname(path) for path in paths)
        check(len(folders) == 1, "%s_ begins functions of %s: put the folder's name before it in all but one" %
              (word, " and ".join(sorted(paths))))
        home = os.path.join("src", word)
        if any(os.path.dirname(path) == home for path in there):
            for path in paths:
                check(path.startswith(home + "/"),
                      "%s: %s_ is taken for the folder %s: put this folder's name before it" % (path, word, home))


def types(check, read, sources):
    """A type of a header has its name alone; src/run is another program."""
    made = re.compile(r"^typedef (?:struct|enum|union)[^;{]*\{.*?^\} (\w+);|^typedef (?:struct|enum|union) \w+ (\w+);",
                      re.S | re.M)
    where = collections.defaultdict(set)
    for path in sources("src", ".h"):
        for whole, ahead in made.findall(plain(read(path))) if not path.startswith("src/run/") else ():
            where[whole or ahead].add(path)
    for name, paths in where.items():
        check(len(paths) == 1, "%s is a type of %s" % (name, " and of ".join(sorted(paths))))


def callers(check, read, sources):
    """What a header offers somebody in src wants, and somebody in another file; what only tests call says "For tests"
    there. Of a layer that nobody includes yet nothing is said."""
    declared, defined = functions(read, sources)
    words, included = {}, set()
    for path in sources("src", (".c", ".cc", ".h", ".def")):
        text, layer = re.sub(r"/\*.*?\*/", "", read(path), flags=re.S), path.split("/")[1]
        words[path] = collections.Counter(re.findall(r"\w+", text))
        included.update(other for other in re.findall(r'^#include "(\w+)/', text, re.M)
                        if other != layer or layer in ("cli", "run"))
    everywhere = sum(words.values(), collections.Counter())
    tested = set(re.findall(r"\w+", " ".join(read(path) for path in sources("tests", (".c", ".h")))))
    for name, paths in declared.items():
        if name.startswith(("mz_", "mazurka_")) or paths[0].split("/")[1] not in included:
            continue
        made = [path for path in defined.get(name, ()) if path not in paths]
        own = len(paths) + sum(words[path][name] for path in set(made))
        told = re.search(r"/\* For tests(?:(?!\*/).)*\*/\n[^;\n]*\b%s\(" % name, read(paths[0]), re.S)
        check(everywhere[name] > len(paths) + len(made) or told,
              "%s: nobody calls %s()" % (paths[0], name))
        check(everywhere[name] > own or name in tested, "%s: nobody calls %s() from another file: static?" %
              (paths[0], name))
