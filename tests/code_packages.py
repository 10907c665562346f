"""Whoever builds installs the same packages: bootstrap, the container, the image for clusters and debian/control name
them each."""
import re

CLUSTER, CONTAINER = "mazurka.def", "Containerfile"


def installed(text):
    """The lists behind `apt-get install`, in the order of the file."""
    text = text.replace("\\\n", " ")
    return [set(re.sub(r"--\S+|-y\b", "", found).split()) for found in re.findall(r"apt-get install ([^&\n]*)", text)]


def packages(check, read):
    build = set(re.search(r'^build_packages="([^"]*)"', read("bootstrap"), re.M).group(1).split())
    libraries = {p for p in build if p.startswith(("lib", "zlib")) and p.endswith("-dev")}
    check(len(libraries) >= 6, "bootstrap lists %s alone" % sorted(libraries))
    needed = set(re.findall(r"^\s*(?:Build-Depends: )?([a-z][\w.+-]+)(?: [(<][^,]*)?,?$",
                            read("debian/control").split("\n\n")[0], re.M))
    check(libraries <= needed, "debian/control does not build with %s" % sorted(libraries - needed))
    running = None
    for path in (CONTAINER, CLUSTER):
        lists = installed(read(path))
        check(len(lists) == 2, "%s does not install twice, to build and to run" % path)
        check(lists[:1] == [build],
              "%s builds with other packages than bootstrap: %s" % (path, sorted(build ^ lists[0])))
        check(running in (None, lists[-1]), "%s runs with other packages than %s" % (path, CONTAINER))
        running = lists[-1]
