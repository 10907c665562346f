#!/usr/bin/env python3
"""The page of `mazurka view` in a real Chromium: clicks through every view and compares what becomes visible with the
answers of the program itself, and of a twin by definition. KEEP_SCREENSHOTS=FOLDER keeps pictures of every view
(1280x800 and 390x844, light and dark)."""
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from chromium import Browser, find_or_skip

find_or_skip()
MAZURKA, SRC = os.environ["MAZURKA"], os.environ.get("SRCDIR", ".")
KEEP = os.environ.get("KEEP_SCREENSHOTS")
SOAK = bool(os.environ.get("MAZURKA_SOAK"))
TOP = tempfile.mkdtemp()
passed = failed = 0


def check(what, ok, detail=""):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print("FAILED: %s %s" % (what, str(detail)[:600]))


def run(*words, stdin=None):
    return subprocess.run([MAZURKA, *map(str, words)], input=stdin, capture_output=True, text=True)


def answer(*words, stdin=None):
    done = run(*words, "--json", stdin=stdin)
    if not done.stdout:
        raise RuntimeError("%s: %d %s" % (words, done.returncode, done.stderr))
    return json.loads(done.stdout)


def page(name, *words):
    path = "%s/%s.html" % (TOP, name)
    done = run("view", "-q", *words, "-o", path)
    check("%s is written" % name, done.returncode == 0, done.stderr)
    return "file://" + path


def net(name):
    return "%s/nets/%s" % (SRC, name)


def chips(tab, selector):
    """The names on the chips inside, with counts as "p ×2"."""
    return sorted(tab.eval("[...document.querySelectorAll('%s .chip:not(.minus)')].map(c => c.innerText.trim())" %
                           selector))


def as_chips(marking):
    return sorted(p if n == 1 else "%s ×%d" % (p, n) for p, n in marking.items())


def where(tab, view, expression):
    at = tab.eval("(v => mazurka.where('%s', %s))(mazurka.views.get('%s'))" % (view, expression, view))
    return at["x"], at["y"]


def quiet(tab, what):
    check("%s: no errors, nothing refused" % what, not tab.problems, tab.problems)
    check("%s: nothing is loaded" % what, all(r.startswith("file://") for r in tab.requests), tab.requests)


def net_view(browser):
    file = net("philosophers-3.pnml")
    tab = browser.open(page("net", file) + "#net")
    names = tab.eval("[...document.querySelectorAll('#enabled button')].map(b => b.innerText)")
    check("enabled at first", names == answer("simulate", file, stdin="")["enabled"], names)
    fired = []
    for transition in ("first0", "first2", "second0"):  # by clicks in the drawing
        tab.click(*where(tab, "net",
                         "v.byTransition.get(v.net.transitions.findIndex(t => t[0] === '%s'))" % transition))
        fired.append(transition)
        want = answer("simulate", file, stdin="\n".join(fired))
        check("marking after " + transition, chips(tab, "#marking") == as_chips(want["marking"]),
              chips(tab, "#marking"))
        check("enabled after " + transition,
              tab.eval("[...document.querySelectorAll('#enabled button')].map(b => b.innerText)") == want["enabled"])
    tab.click(*where(tab, "net", "v.byTransition.get(v.net.transitions.findIndex(t => t[0] === 'second1'))"))
    why = run("simulate", "-q", file, stdin="\n".join(fired) + "\nwhy second1").stdout.splitlines()[-1]
    check("why it is not enabled", all(re.search(r"%s has 0 of 1" % p, tab.text("#why"))
                                       for p in re.findall(r"(\w+) \(0 of 1\)", why)), (tab.text("#why"), why))
    tab.key("u")
    check("undo", chips(tab, "#marking") == as_chips(answer("simulate", file, stdin="first0\nfirst2")["marking"]))
    tab.key("r")
    check("reset", chips(tab, "#marking") == as_chips(answer("simulate", file, stdin="")["marking"]))
    tab.press("#enabled li:nth-child(2) button")
    check("the list fires too", tab.text("#fired").split()[-1] == "first1", tab.text("#fired"))
    tab.key("/")
    for letter in "eat2":
        tab.key(letter)
    tab.key("Enter")
    check("search", "eat2" in tab.text(".panel h3"), tab.text(".panel"))
    before = tab.eval("mazurka.views.get('net').scene.x")
    tab.drag(500, 600, 400, 600)
    check("pan", abs(tab.eval("mazurka.views.get('net').scene.x") - before) > 20)
    scale = tab.eval("mazurka.views.get('net').scene.scale")
    tab.send("Input.dispatchMouseEvent", type="mouseWheel", x=400, y=400, deltaX=0, deltaY=-300)
    tab.settle()
    check("zoom", tab.eval("mazurka.views.get('net').scene.scale") > 1.2 * scale)
    quiet(tab, "net")
    alike = TOP + "/alike.tpn"
    open(alike, "w").write('place "p" init 1;' + "".join(
        'trans "%s.%s" in "p" out "p";' % ("a.very.long.common.beginning", end) for end in ("one", "two")))
    texts = browser.open(page("alike", alike) + "#net").eval(
        "mazurka.views.get('net').scene.nodes.filter(n => n.transition !== undefined).map(n => n.text)")
    check("names that begin alike can be told apart", len(set(texts)) == 2 and all(len(t) <= 22 for t in texts), texts)
    crowd = TOP + "/crowd.tpn"
    open(crowd, "w").write("".join('place "p%d" init 1;' % i for i in range(450)) + 'trans "t" in "p0" out "p1";')
    many = browser.open(page("crowd", crowd) + "#net")
    check("a large marking says what it leaves out",
          "and 50 more" in many.text("#marking") and many.eval("document.querySelector('#marking').offsetHeight") < 400,
          many.text("#marking")[-40:])
    phone = browser.open(page("net", file) + "#net", 390, 844)
    phone.touch(*where(phone, "net", "v.byTransition.get(0)"))
    check("a finger fires", chips(phone, "#marking") == as_chips(answer("simulate", file, stdin="first0")["marking"]))
    check("nothing is wider than the phone", phone.eval("document.documentElement.scrollWidth") <= 390)
    big = browser.open(page("tokens", numbers()) + "#net")
    big.press("#enabled button")
    want = answer("simulate", numbers(), stdin="1")["marking"]
    check("counts beyond 2^53 are exact", chips(big, "#marking") == as_chips(want), chips(big, "#marking"))
    drawn = browser.open(page("drawn", drawing()) + "#net")
    at = drawn.eval("[0, 1].map(p => { const n = mazurka.views.get('net').byPlace.get(p); return [n.x, n.y]; })")
    check("the file's own drawing", abs((at[1][0] - at[0][0]) * 50 - (at[1][1] - at[0][1]) * 200) < 1e-6, at)


def numbers():
    path = TOP + "/big.pnml"
    open(path, "w").write(
        '<pnml><net id="big">'
        '<place id="p"><initialMarking><text>18446744073709551615</text></initialMarking></place><place id="q"/>'
        '<transition id="t"/><arc id="b" source="t" target="q"/>'
        '<arc id="a" source="p" target="t"><inscription><text>9007199254740993</text></inscription></arc></net></pnml>')
    return path


def drawing():
    path = TOP + "/drawn.pnml"
    open(path, "w").write(
        '<pnml><net id="drawn"><place id="p"><graphics><position x="0" y="0"/></graphics></place>'
        '<place id="q"><graphics><position x="200" y="50"/></graphics></place>'
        '<transition id="t"><graphics><position x="90" y="40"/></graphics></transition>'
        '<arc id="a" source="p" target="t"/><arc id="b" source="t" target="q"/></net></pnml>')
    return path


# ---- the prefix, by definition ----

class Twin:
    """A prefix from its file: a set of events is a configuration when its events can be fired one after the other."""

    def __init__(self, data):
        self.events = {e["event"]: e for e in data["events"]}
        self.start = frozenset(c["condition"] for c in data["conditions"] if c["producer"] is None)
        self.producer = {c["condition"]: c["producer"] for c in data["conditions"]}

    def local(self, e):
        found, stack = set(), [e]
        while stack:
            f = stack.pop()
            if f not in found:
                found.add(f)
                stack += [self.producer[c] for c in self.events[f]["pre"] + self.events[f].get("read", [])
                          if self.producer[c] is not None]
        return frozenset(found)

    def fires(self, events):
        """In some order?"""
        seen, stack = set(), [(frozenset(events), self.start)]
        while stack:
            left, marked = stack.pop()
            if not left:
                return True
            if left in seen:
                continue
            seen.add(left)
            for e in left:
                pre, read = self.events[e]["pre"], self.events[e].get("read", [])
                if all(c in marked for c in pre + read):
                    stack.append((left - {e}, (marked - set(pre)) | set(self.events[e]["post"])))
        return False


def prefix_view(browser):
    for name, relation in (("philosophers-3", "classic"), ("readers-2", "read"), ("rw-4", "read"),
                           ("write-reads-2", "read"), ("fms-2", "classic"), ("ring-2", "loops")):
        file, most = net(name + ".pnml"), 60 if SOAK else 12
        tab = browser.open(page(name + relation, file, "--relation", relation) + "#prefix")
        whole = answer("unfold", "-q", file, "--relation", relation)
        n = tab.eval("mazurka.views.get('prefix').u.n")
        check(name + ": events", tab.eval("mazurka.page.data.prefix.events") == whole["events"] and
              n == (whole["contextual_events"] or whole["events"]))
        check(name + ": both numbers are told", str(whole["events"]) in tab.text(".panel") and
              (n == whole["events"] or "%d boxes" % n in tab.text("#histories-note")), tab.text(".panel"))
        for e in list(range(min(n, most))):
            want = answer("unfold", "-q", file, "--relation", relation, "--event", e)["event"]
            tab.eval("mazurka.views.get('prefix').open('%d')" % e)
            marking = {}
            for p in want["marking"]:
                marking[p] = marking.get(p, 0) + 1
            check("%s e%d: marking" % (name, e), chips(tab, "#marking-of-event") == as_chips(marking),
                  (chips(tab, "#marking-of-event"), marking))
            local = tab.eval("[...document.querySelectorAll('#local [data-event]')].map(c => Number(c.dataset.event))")
            check("%s e%d: local configuration" % (name, e), len(local) == min(want["size"], 60) and e in local,
                  (local, want["size"]))
            causes = tab.eval(
                "[...document.querySelectorAll('#causes [data-event]')].map(c => Number(c.dataset.event))")
            check("%s e%d: causes" % (name, e), causes == want["causes"], (causes, want["causes"]))
            check("%s e%d: cutoff" % (name, e), bool(tab.text("#cutoff")) == want["cutoff"])
        if whole["conditions"] is not None:
            by_definition(tab, name, relation, file)
        quiet(tab, name)
    clicks(browser)


def by_definition(tab, name, relation, file):
    path = TOP + "/prefix.json"
    run("unfold", "-q", file, "--relation", relation, "-o", path)
    twin = Twin(json.load(open(path)))
    n = min(len(twin.events), 24 if SOAK else 10)
    table = tab.eval("(u => Array.from({length: %d}, (_, e) => Array.from({length: %d}, (_, f) => u.between(e, f))))"
                     "(mazurka.views.get('prefix').u)" % (n, n))
    for e, f in itertools.combinations(range(n), 2):
        a, b = twin.local(e), twin.local(f)
        says = table[e][f]
        want = "cause" if f in a else "effect" if e in b else "fits" if twin.fires(a | b) else "conflict"
        check("%s: e%d and e%d" % (name, e, f),
              says == want or (want == "fits" and says in ("concurrent", "before", "after")), (says, want))
        if says in ("before", "after"):  # one order only
            first, second = (f, e) if says == "before" else (e, f)
            check("%s: order of e%d and e%d" % (name, e, f),
                  twin.events[second]["pre"] and set(twin.events[first]["read"]) & set(twin.events[second]["pre"]))


def clicks(browser):
    file = net("philosophers-3.pnml")
    tab = browser.open(page("clicks", file) + "#prefix")
    at = lambda e: where(tab, "prefix", "v.eventNode.get(%d)" % e)
    tab.click(*at(3))
    check("a click selects", tab.text("#event-name").startswith("e3"), tab.text(".panel"))
    check("conflicts are dimmed", tab.eval("mazurka.views.get('prefix').look(5)") == "conflict")
    check("concurrent ones are lit",
          "concurrent" in tab.eval("[0,1,2,3,4,5,6,7,8].map(e => mazurka.views.get('prefix').look(e))"))
    tab.key("Escape")
    tab.key("b")
    tab.click(*at(0))
    tab.click(*at(1))
    built = tab.eval("[...mazurka.views.get('prefix').built].map(e => mazurka.page.data.prefix.transition[e])"
                     ".map(t => mazurka.page.net.transitions[t][0])")
    want = answer("simulate", file, stdin="\n".join(built))
    check("a configuration and its marking",
          len(built) == 2 and chips(tab, "#marking-built") == as_chips(want["marking"]), built)
    names = sorted(tab.eval("[...document.querySelectorAll('#next [data-event]')].map(c => c.innerText.split(' ')[1])"))
    check("what can come next", names == sorted(want["enabled"]), (names, want["enabled"]))
    tab.click(*at(0))
    check("a click takes it away", tab.eval("mazurka.views.get('prefix').built.size") == 1)
    tab.press("[data-jump]")
    reached = answer("replay", "-q", file, witness(file))["marking"]
    check("the deadlock's configuration",
          chips(tab, "#marking-built") == as_chips(reached) and "dead end" in tab.text("#dead"),
          chips(tab, "#marking-built"))
    tab.eval("mazurka.views.get('prefix').toggleBuilding(); mazurka.views.get('prefix').growth.set(4)")
    check("the slider hides what came later", tab.eval("mazurka.views.get('prefix').look(4)") == "later" and
          tab.eval("mazurka.views.get('prefix').look(3)") != "later")
    cutoff = next(e for e in range(9) if answer("unfold", "-q", file, "--event", e)["event"]["cutoff"])
    tab.go("file://%s/clicks.html#prefix/%d" % (TOP, cutoff))
    companion = answer("unfold", "-q", file, "--event", cutoff)["event"]["companion"]
    check("the companion", ("initial" in tab.text("#cutoff")) == (companion == "initial"), tab.text("#cutoff"))
    tab = browser.open(page("histories", net("readers-2.pnml"), "--relation", "read") + "#prefix/2")
    rows = tab.eval("[...document.querySelectorAll('#histories button')].map(b => b.innerText)")
    check("histories", sorted(rows) == ["after nothing", "after t1", "after t1, t2", "after t2"], rows)
    tab.press("#histories li:nth-child(4) button")
    check("the marking after a history", chips(tab, "#marking-of-event") == as_chips(
        answer("simulate", net("readers-2.pnml"), stdin="t1\nt2\ntake")["marking"]))
    middle = browser.open(page("around", net("slotted-ring-4.pnml"), "--around", 90))
    at = where(middle, "prefix", "v.eventNode.get(90)")
    check("--around: its event is in the middle of the first screen",
          300 < at[0] < 620 and 200 < at[1] < 640 and middle.text("#event-name").startswith("e90"), at)
    # a deadlock behind cutoffs: the jump goes by their companions
    for name in ("dekker-3", "rw-4", "counter-race-3", "resource-pool-3-2-3") if SOAK else ("dekker-3", "rw-4"):
        for relation in ("classic", "read"):
            tab = browser.open(page("jump", net(name + ".pnml"), "--relation", relation) + "#prefix")
            if tab.eval("(mazurka.page.data.runs || []).length") == 0:
                continue
            longer = tab.eval("""(() => {
                const net = mazurka.page.net, u = mazurka.views.get('prefix').u, runs = [];
                let seed = 7;
                for (let k = 0; k < 40; k++) {
                    const run = [];
                    let m = net.initial;
                    for (let i = 0; i < 30; i++) {
                        const on = net.transitions.map((_, t) => t).filter(t => net.enabled(m, t));
                        if (!on.length) break;
                        seed = (seed * 1103515245 + 12345) % 2147483648;
                        const t = on[seed % on.length];
                        run.push(t);
                        m = net.fire(m, t);
                    }
                    const set = u.embed(run);
                    runs.push(set !== null && String(u.marking(set)) === String(m) && u.sorted(set) !== null);
                }
                return runs.filter(ok => !ok).length;
            })()""")
            check("%s %s: random runs have configurations of the same marking" % (name, relation), longer == 0, longer)


def witness(file):
    path = TOP + "/w"
    run("check", "-q", file, "--witness", path)
    return path


# What a canvas has on it, asked when the page loads: before any frame was made.
AT_LOAD = """addEventListener("load", () => {
    const c = document.querySelector(".view.on .stage canvas"), seen = new Set();
    const d = c.width ? c.getContext("2d").getImageData(0, 0, c.width, c.height).data : [];
    for (let i = 0; i < d.length; i += 4) seen.add(d[i] << 16 | d[i + 1] << 8 | d[i + 2]);
    window.coloursAtLoad = seen.size;
});"""


def drawn_at_load(browser):
    tab = browser.open("about:blank")
    tab.send("Page.addScriptToEvaluateOnNewDocument", source=AT_LOAD)
    address = page("load", net("programs/lostwakeup.mzk"))
    for view in ("net", "prefix", "run", "tree"):
        tab.go("about:blank")
        tab.go(address + "#" + view)
        check("%s is drawn when the page has loaded" % view, tab.eval("window.coloursAtLoad") > 20,
              tab.eval("window.coloursAtLoad"))


# Arrows of the run that pass behind the box of another step, by their points; a curve stays within a few pixels of
# them.
BEHIND = """(v => v.scene.edges.flatMap(e => { const p = e.points, hit = [];
    for (const n of v.nodes) for (let i = 0; i + 3 < p.length; i += 2) for (let k = 1; k < 40; k++) {
        const x = p[i] + (p[i + 2] - p[i]) * k / 40, y = p[i + 1] + (p[i + 3] - p[i + 1]) * k / 40;
        if (Math.abs(x - n.x) < n.w / 2 - 1 && Math.abs(y - n.y) < n.h / 2 - 1) hit.push([n.step, e.step]); }
    return hit; }))(mazurka.views.get('run'))"""


def run_view(browser):
    drawn_at_load(browser)
    file = net("philosophers-3.pnml")
    tab = browser.open(page("run", file) + "#run")
    steps = tab.eval("mazurka.page.data.runs[0].run.map(t => mazurka.page.net.transitions[t][0])")
    for k in range(len(steps) + 1):
        tab.eval("mazurka.views.get('run').open('%d')" % k)
        want = answer("simulate", file, stdin="\n".join(steps[:k]))
        check("run: marking after %d" % k, chips(tab, "#marking-run") == as_chips(want["marking"]),
              chips(tab, "#marking-run"))
    tab.key("ArrowLeft")
    check("run: a key steps back", steps[-2] in tab.text("#step-name"), tab.text("#step-name"))
    tab.click(*where(tab, "run", "v.nodes[0]"))
    check("run: a click goes there", tab.text("#step-name") == "after " + steps[0], tab.text("#step-name"))
    quiet(tab, "run")
    file = net("programs/lostwakeup.mzk")
    tab = browser.open(page("program", file) + "#run/4")
    steps = tab.eval("mazurka.page.data.runs[0].run.map(t => mazurka.page.net.transitions[t][0])")
    state = run("simulate", "-q", file, stdin="\n".join(steps[:4]) + "\nmarking\n").stdout
    threads = re.findall(r"(?:threads: |^         ) (.*)", state[state.rindex("values:"):], re.M)
    shown = tab.text("#view-run .panel")
    check("program: threads", threads and all(t in shown for t in threads), (threads, shown))
    check("program: values", re.findall(r"values:   (.*)", state)[-1].split(", ")[0] in shown)
    lines = tab.eval("[...document.querySelectorAll('#view-run pre.source .at i')].map(i => Number(i.innerText))")
    check("program: the line of each thread",
          sorted(lines) == sorted(int(x) for x in re.findall(r"line (\d+)", "\n".join(threads))), (lines, threads))
    check("program: lanes are threads", tab.eval("mazurka.views.get('run').story.laneNames") == ["setter", "waiter"])
    seen = """(b => {
        const p = document.querySelector('#view-run pre.source').getBoundingClientRect(), r = b.getBoundingClientRect();
        return p.top <= r.top && r.bottom <= p.bottom;
    })(document.querySelector('#view-run pre.source b.who'))"""
    check("program: the source opens at a thread's line", tab.eval(seen))
    tab = browser.open(page("wide", wide_program()) + "#run/4")
    beside = """[...document.querySelectorAll('#view-run pre.source .at')]
        .map(l => [l.querySelector('i'), l.querySelector('b.who')].map(n => n.getBoundingClientRect()))
        .map(([i, who]) => Math.abs(i.top + i.bottom - who.top - who.bottom) < 8)"""
    check("program: a thread is named beside its line, however long that is", tab.eval(beside) == [True, True],
          tab.eval(beside))
    tab = browser.open(page("long", long_program()) + "#run")
    check("program: a long source opens there too",
          tab.eval(seen) and tab.eval("document.querySelector('#view-run pre.source').scrollTop") > 300)
    quiet(tab, "program")


ALGORITHMS = [row["algorithm"] for row in answer("compare", "-q", "--algorithms", net("readers-2.pnml"))["rows"]]


def wide_program():
    path = TOP + "/wide.mzk"
    open(path, "w").write("\n".join(line + " " * 90 + "// " + "wide " * 20 if line.strip().endswith(";") else line
                                    for line in open(net("programs/lostwakeup.mzk")).read().split("\n")))
    return path


def long_program():
    path = TOP + "/long.mzk"
    open(path, "w").write("\n" * 80 + open(net("programs/lostwakeup.mzk")).read())
    return path


def figures(tab, algorithm):
    """The column of the table under Executions."""
    return tab.eval("Object.fromEntries([...document.querySelectorAll('#algorithms [data-algorithm=%s]')]"
                    ".map(c => [c.dataset.figure, c.innerText]))" % algorithm)


def row_figures(row):
    """The same from a row of compare --algorithms --json."""
    return {"complete": str(row["traces"]), "wasted": str(row["ssb"]), "deadlocks": str(row["deadlocks"]),
            "events": "–" if row["events"] is None else str(row["events"]), "nodes": str(row["nodes"])}


def same_figures(tab, row):
    shown, want = figures(tab, row["algorithm"]), row_figures(row)
    return all(shown.get(key) == want[key] for key in want), (shown, want)


def tree_view(browser):
    for name in ("programs/ssb.mzk", "readers-2.pnml", "programs/lostwakeup.mzk"):
        file = net(name)
        tab = browser.open(page("tree", file) + "#tree")
        for row in answer("compare", "-q", "--algorithms", "--relation", "classic", file)["rows"]:
            check("%s: %s" % (name, row["algorithm"]), *same_figures(tab, row))
        tab.click(*where(tab, "tree", "v.scene.nodes.find(n => n.kind === 'maximal' || n.kind === 'deadlock')"))
        length = tab.eval("document.querySelectorAll('#execution li').length")
        depth = tab.eval("""(v => {
            let d = 0;
            for (let i = v.chosen.node; i > 0; i = v.trees[v.chosen.tree].parent[i]) d++;
            return d;
        })(mazurka.views.get('tree'))""")
        check(name + ": an execution is told", 0 < length == depth, (length, depth))
        deadlocks_of_trees(tab, name, file)
        quiet(tab, name)
    shown_trees(browser)


def deadlocks_of_trees(tab, name, file):
    """Each complete execution is fired again by the program: it ends in a deadlock iff its leaf says so."""
    leaves = tab.eval("""mazurka.page.data.trees.flatMap(t => {
        const leaves = t.kind.map((k, i) => [k, i]).filter(([k]) => k === 'maximal' || k === 'deadlock');
        return leaves.slice(0, 4).map(([k, i]) => {
            const run = [];
            for (; t.parent[i] >= 0; i = t.parent[i]) run.unshift(mazurka.page.net.transitions[t.label[i]][0]);
            return [k, run];
        });
    })""")
    for kind, steps in leaves:
        open(TOP + "/leaf", "w").write("".join(json.dumps(s) + "\n" for s in steps))
        told = run("replay", "-q", file, TOP + "/leaf").stdout
        check("%s: a leaf that is %s" % (name, kind), ("a deadlock" in told) == (kind == "deadlock"), (steps, told))


def shown_trees(browser):
    """Two of five at first, others by their names."""
    tab = browser.open(page("five", net("programs/ssb.mzk")) + "#tree")
    drawn = lambda: tab.eval("[...new Set(mazurka.views.get('tree').scene.nodes.filter(n => n.node !== undefined)"
                             ".map(n => mazurka.page.data.trees[n.tree].algorithm))]")
    check("the own one and the one that wastes most", drawn() == ["upor", "sleep"], drawn())
    index = "[...document.querySelectorAll('.pickers button')].findIndex(b => b.innerText === '%s')"
    pick = lambda name: tab.press(".pickers button:nth-child(%d)" % (1 + tab.eval(index % name)))
    pressed = lambda: tab.eval("[...document.querySelectorAll('.pickers [aria-pressed=true]')].map(b => b.innerText)")
    pick("upor")
    pick("odpor")
    check("odpor beside sleep", drawn() == ["odpor", "sleep"] == pressed(), (drawn(), pressed()))
    letters = lambda: tab.eval("(v => v.font * v.scene.scale)(mazurka.views.get('tree'))")
    small = letters()
    pick("sleep")
    check("one alone is larger", letters() > 1.5 * small, (letters(), small))
    pick("odpor")
    check("the last one stays", drawn() == ["odpor"], drawn())
    tab.key("ArrowRight")
    check("keys go to the next leaf", tab.eval("mazurka.views.get('tree').chosen.kind") == "maximal")
    tab = browser.open(page("five", net("programs/ssb.mzk")) + "#tree/sdpor,cdpor")
    check("an address names trees", drawn() == ["sdpor", "cdpor"], drawn())
    tab = browser.open(page("endless", net("philosophers-3.pnml")) + "#tree")
    check("algorithms that cannot say why",
          ", ".join(a for a in ALGORITHMS if a != "upor") in tab.text("#view-tree .panel") and
          "does not terminate" in tab.text("#view-tree .panel"), tab.text("#view-tree .panel"))


ASSERTING = """#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
/* </script><script>window.hacked = 1</script> <b>bold</b> */
static atomic_int x, y;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *writer(void *a)
{
    pthread_mutex_lock(&m);
    atomic_store(&x, 7);
    pthread_mutex_unlock(&m);
    atomic_store(&y, 1);
    return a;
}
static void *reader(void *a)
{
    int seen = atomic_load(&y), value = atomic_load(&x);
    assert(!seen || value == 6);
    return a;
}
int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, writer, 0);
    pthread_create(&two, 0, reader, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
"""


FORKS = """#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t *fork[2];
static void *eat(void *a)
{
    long i = (long)a;
    pthread_mutex_lock(fork[i]);
    pthread_mutex_lock(fork[1 - i]);
    pthread_mutex_unlock(fork[1 - i]);
    pthread_mutex_unlock(fork[i]);
    return a;
}
int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++) pthread_mutex_init(fork[i] = malloc(sizeof *fork[i]), 0);
    for (long i = 0; i < 2; i++) pthread_create(&thread[i], 0, eat, (void *)i);
    for (int i = 0; i < 2; i++) pthread_join(thread[i], 0);
    return 0;
}
"""


def heap_objects():
    """Locks of the heap have one name each, the same among the threads and in the steps."""
    path = TOP + "/forks.c"
    open(path, "w").write(FORKS)
    text = run("check", "-q", path, "--deadlock").stdout
    names = lambda word: sorted(re.findall(word + r" (byte 0 of \d+ allocated at forks.c:16(?: \(2\))?)", text))
    threads, steps = names("waits at forks.c:8 to lock"), names(r"forks.c:7 +lock")
    check("C: locks of the heap", threads == steps and len(set(steps)) == 2 and "0x" not in text, text)


def c_programs(browser):
    """C programs: the run in lanes, by lines and values, and the executions."""
    if not shutil.which("cc"):
        print("skipped: no C compiler for the pages of C programs")
        return
    heap_objects()
    path, out = TOP + "/<asserting>.c", TOP + "/c.html"
    open(path, "w").write(ASSERTING)
    for file, verdict in ((net("c/philosophers.c"), "deadlock"), (net("c/lostwakeup.c"), "deadlock"),
                          (path, "assertion")):
        want = answer("check", "-q", file, "--html", out)
        tab = browser.open("file://" + out)
        name = os.path.basename(file)
        story = tab.eval("(r => ({steps: r.steps, causes: r.causes, ends: r.ends}))(mazurka.page.data.runs[0])")
        check(name + ": the verdict is told",
              "VIOLATED" in tab.text(".about") and verdict in tab.text("#view-run .panel"),
              tab.text("#view-run .panel"))
        told = ["%s %s:%d %s" % (s["thread"], s["file"], s["line"], s["words"]) for s in story["steps"] if "line" in s]
        check(name + ": its steps are the witness", told == [w for w in want["witness"] if "(no line)" not in w],
              (told, want["witness"]))
        check(name + ": as many in the list",
              tab.eval("document.querySelectorAll('#steps li').length") == len(want["witness"]))
        check(name + ": lanes are threads", tab.eval("mazurka.views.get('run').story.laneNames") == list(
            dict.fromkeys(s["thread"] for s in story["steps"])))
        lines = sorted(set(int(t["line"].rsplit(":", 1)[1]) for t in want["findings"][0]["threads"]
                           if ":" in t["line"]))
        numbers = "[...document.querySelectorAll('#view-run pre.source .at i')].map(i => Number(i.innerText))"
        shown = sorted(set(tab.eval(numbers)))
        check(name + ": the lines where the threads are", set(lines) <= set(shown), (lines, shown))
        check(name + ": a thread's line is in sight",
              tab.eval("""(b => {
                  const p = b.closest('pre').getBoundingClientRect(), r = b.getBoundingClientRect();
                  return p.top <= r.top && r.bottom <= p.bottom && p.left <= r.left && r.right <= p.right;
              })(document.querySelector('#view-run pre.source b.who'))"""))
        causality(name, story)
        for _ in range(2):
            check(name + ": no arrow hides behind a box", tab.eval(BEHIND) == [], tab.eval(BEHIND))
            tab.eval("mazurka.views.get('run').orderButton.click()")
        check(name + ": nothing ran", tab.eval("window.hacked") is None)
        quiet(tab, name)
    values = lambda k: tab.eval("mazurka.views.get('run').slider.set(%d), "
                                "[...document.querySelectorAll('#values .chip')].map(c => c.innerText)" % k)
    n = len(story["steps"])
    stored = next(i for i, s in enumerate(story["steps"]) if s.get("object") == "x" and s.get("write"))
    check("C: values before and after",
          "x = 0" in values(stored) and "x = 7" in values(stored + 1) and "m held by main.1" in values(stored),
          (values(stored), values(stored + 1)))
    check("C: values at the end", {"x = 7", "y = 1"} <= set(values(n)) and not any("held" in v for v in values(n)),
          values(n))
    check("C: the text of the program",
          tab.eval("document.querySelector('pre.source').innerText").count("<script>window.hacked") == 1)
    executions_of_c(browser, out)


def causality(name, story):
    """By definition: steps of one thread, a creation and what it starts, an end and its join, and two steps on one
    object of which one writes."""
    steps = story["steps"]
    related = set()
    reads = {"atomic load", "read"}
    for j, b in enumerate(steps):
        for i, a in enumerate(steps[:j]):
            same = "object" in a and a.get("object") == b.get("object") and \
                not (a["operation"] in reads and b["operation"] in reads)
            joins = b["operation"] == "join" and a["operation"] == "end" and b["words"].split()[-1] == a["thread"]
            if a["thread"] == b["thread"] or a.get("starts") == b["thread"] or same or joins:
                related.add((i, j))
    above = [set() for _ in steps]
    for j in range(len(steps)):
        for i in story["causes"][j]:
            above[j] |= above[i] | {i}
    missing = [(i, j) for i, j in related if i not in above[j]]
    check(name + ": everything that is needed is above", not missing, missing)
    definition = [set() for _ in steps]
    for j in range(len(steps)):
        for i in range(j):
            if (i, j) in related:
                definition[j] |= definition[i] | {i}
    check(name + ": and nothing else", all(d >= a for d, a in zip(definition, above)) or "wait" in str(story["steps"]),
          (definition, above))
    check(name + ": only direct ones are drawn",
          all(not any(i in above[k] for k in row if k != i) for row in story["causes"] for i in row))


def executions_of_c(browser, out):
    for algorithm in ("odpor", "sleep"):
        want = answer("explore", "-q", net("c/ssb.c"), "--algorithm", algorithm, "--html", out)
        tab = browser.open("file://" + out)
        kinds = tab.eval("mazurka.page.data.trees[0].kind.filter(k => k)")
        check("C executions, %s" % algorithm,
              (kinds.count("maximal"), kinds.count("blocked")) == (want["maximal_configurations"], want["ssb"]),
              (kinds, want))
        shown = figures(tab, algorithm)
        check("C executions, %s: figures" % algorithm,
              (shown["complete"], shown["wasted"]) == (str(want["maximal_configurations"]), str(want["ssb"])), shown)
        tab.key("ArrowRight")
        check("C executions, %s: one is told" % algorithm, "ssb.c:" in tab.text("#execution"), tab.text("#execution"))
        quiet(tab, "executions of C")
    run("explore", "-q", net("c/philosophers.c"), "--html", out)
    tab = browser.open("file://" + out)
    check("C executions: deadlocks", tab.eval("mazurka.page.data.trees[0].kind.filter(k => k === 'deadlock').length") ==
          answer("explore", "-q", net("c/philosophers.c"))["deadlocks"])
    done = run("check", "-q", net("c/philosophers.c"), "-D", "FREE=1", "--html", out)
    tab = browser.open("file://" + out)
    check("C: a verdict without a run has its executions", done.returncode == 0 and "HOLDS" in tab.text(".about") and
          tab.eval("document.querySelector('#view-tree') !== null"), done.stderr)
    quiet(tab, "C holds")


def pages_of_commands(browser):
    """check, unfold, explore and compare write the same page with their result."""
    file, out = net("philosophers-3.pnml"), TOP + "/command.html"
    want = json.loads(run("check", "-q", "--json", file, "--html", out).stdout)
    tab = browser.open("file://" + out)
    steps = tab.eval("[...document.querySelectorAll('#steps button')].map(b => b.lastChild.innerText)")
    check("check: its witness is the run", steps == want["witness"], (steps, want["witness"]))
    blocked = [line.split() for line in tab.text("#waiting").splitlines()]
    check("check: what waits for what",
          [line[:3] for line in blocked] == [["second%d" % i, "waits:", "fork%d" % ((i + 1) % 3)] for i in range(3)],
          blocked)
    tab.press("#tab-prefix")
    tab.press("[data-jump]")
    check("check: jump to its goal", "dead end" in tab.text("#dead"), tab.text("#view-prefix .panel"))
    quiet(tab, "check")
    want = json.loads(run("unfold", "-q", "--json", net("rw-4.pnml"), "--relation", "read", "--html", out).stdout)
    tab = browser.open("file://" + out)
    check("unfold: its prefix", tab.eval("mazurka.page.data.prefix.events") == want["events"] and
          tab.eval("document.querySelector('#tab-prefix') === null || "
                   "document.querySelector('#tab-prefix').getAttribute('aria-selected') === 'true'"))
    quiet(tab, "unfold")
    for algorithm in ("upor", "sleep"):
        want = json.loads(run("explore", "-q", "--json", net("programs/ssb.mzk"), "--algorithm", algorithm, "--html",
                              out).stdout)
        tab = browser.open("file://" + out)
        cells = figures(tab, algorithm)
        check("explore %s: its executions" % algorithm, (cells["complete"], cells["wasted"], cells["nodes"]) == (
            str(want["maximal_configurations"]), str(want["ssb"]), str(want["nodes"])), (cells, want))
        check("explore %s: the others too" % algorithm,
              tab.eval("mazurka.page.data.trees.map(t => t.algorithm)")[0] == algorithm and
              len(tab.eval("mazurka.page.data.trees")) == len(ALGORITHMS))
        quiet(tab, "explore")
    want = json.loads(run("compare", "-q", "--json", "--algorithms", net("programs/ssb.mzk"), "--html", out).stdout)
    tab = browser.open("file://" + out)
    check("compare: one tree per algorithm",
          tab.eval("mazurka.page.data.trees.map(t => t.algorithm)") == [r["algorithm"] for r in want["rows"]])
    for row in want["rows"]:
        check("compare: " + row["algorithm"], *same_figures(tab, row))
    run("unfold", "-q", file, "-o", TOP + "/p.json")
    tab = browser.open(page("prefix-file", TOP + "/p.json"))
    check("a prefix file", tab.eval("mazurka.views.get('prefix').u.n") == 9)
    quiet(tab, "prefix file")


def hostile(browser):
    names = ["<script>window.hacked=1</script>", "</script><script>window.hacked=2</script>",
             "<img src=x onerror=window.hacked=3>", "\"'><b>", "&lt;&amp;", "x" * 10240,
             "\u202eradar", "a\u2028b", "]]>", "{{7*7}}", "${7*7}", "javascript:alert(1)",
             "\u0627\u0644\u0639\u0631\u0628\u064a\u0629"]
    text = "".join(
        '<place id="p%d"><name><text>%s</text></name><initialMarking><text>1</text></initialMarking></place>' %
        (i, escape(n)) for i, n in enumerate(names))
    text += "".join(
        '<transition id="%s"><name><text>%s</text></name></transition><arc id="a%d" source="p%d" target="%s"/>' %
        (escape("t" + n[:300]), escape(n), i, i, escape("t" + n[:300])) for i, n in enumerate(names))
    path = TOP + "/hostile.pnml"
    open(path, "w", encoding="utf-8").write('<?xml version="1.0" encoding="UTF-8"?><pnml><net id="%s">%s</net></pnml>' %
                                            (escape(names[1]), text))
    for view in ("net", "prefix", "run", "tree"):
        tab = browser.open(page("hostile", path, "--max-events", 200) + "#" + view)
        if view == "net":
            for i in range(1, len(names) + 1):
                tab.press("#enabled li button")
            check("hostile: all fired", "Fired: %d" % len(names) in tab.text("#view-net .panel"),
                  tab.text("#view-net .panel")[-300:])
            check("hostile: what turns the line is shown by its number", "\\u202eradar" in tab.text("#fired"))
        if view == "prefix":
            tab.eval("location.hash = '#prefix/1'")
            tab.settle()
        check("hostile %s: nothing ran" % view, tab.eval("window.hacked") is None)
        check("hostile %s: names stay names" % view, tab.eval("document.querySelectorAll('script').length") == 2 and
              tab.eval("document.querySelectorAll('img, iframe, bdi *').length") == 0)
        check("hostile %s: no wider than the window" % view, tab.eval("document.documentElement.scrollWidth") <= 1280)
        quiet(tab, "hostile " + view)
    tab.eval("(() => { const s = document.createElement('script'); s.textContent = 'window.hacked = 4'; "
             "document.body.append(s); })()")
    tab.settle()
    check("the policy refuses other scripts",
          tab.eval("window.hacked") is None and any("Content Security Policy" in p for p in tab.problems), tab.problems)


def escape(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def large(browser):
    """Ten thousand events: only what is in view is drawn."""
    path = TOP + "/large.pnml"
    run("gen", "slotted-ring", "6", "-q", "-o", path)
    address = page("large", path, "--max-events", 10000, "--cutoffs", "off")
    tab = browser.open(address + "#prefix")
    check("large: events", tab.eval("mazurka.views.get('prefix').u.n") > 9000,
          tab.eval("mazurka.views.get('prefix').u.n"))
    check("large: a neighbourhood first", 0 < tab.eval("mazurka.views.get('prefix').eventNode.size") < 150,
          tab.eval("mazurka.views.get('prefix').eventNode.size"))
    tab.key("m")
    check("large: the map has every event", tab.eval("mazurka.views.get('prefix').eventNode.size") == 10000)
    tab.eval("mazurka.views.get('prefix').scene.show(mazurka.views.get('prefix').eventNode.get(5000), 1)")
    tab.settle()
    check("large: only what is in view is drawn", 0 < tab.eval("mazurka.views.get('prefix').scene.drawn") < 600,
          tab.eval("mazurka.views.get('prefix').scene.drawn"))
    tab.click(*where(tab, "prefix", "v.eventNode.get(5000)"))
    check("large: a click selects", tab.text("#event-name").startswith("e5000"), tab.text("#event-name"))
    frame = """(() => {
        const s = mazurka.views.get('prefix').scene, t = performance.now();
        for (let i = 0; i < 10; i++) { s.x += 10; s.draw(); }
        return (performance.now() - t) / 10;
    })()"""
    moved = frame.replace("s.draw()", "s.move()")  # what a hand feels
    near, far = tab.eval(frame), tab.eval("mazurka.views.get('prefix').scene.fit(), " + frame)
    print("10000 events: %.1f ms a frame near, %.1f ms with all in view, %.1f ms while that is moved" %
          (near, far, tab.eval(moved)))
    check("large: a frame that takes long is kept for moving",
          tab.eval("(s => s.cost < 24 || s.kept !== null)(mazurka.views.get('prefix').scene)"))
    quiet(tab, "large")


def room(browser):
    """Nothing is cut off, covered or told apart only by what is cut off."""
    for width in (1280, 390):
        tab = browser.open(page("ssb", net("programs/ssb.mzk")) + "#tree", width, 844)
        sizes = tab.eval("(b => [b.scrollWidth, b.clientWidth])(document.querySelector('#algorithms').parentNode)")
        check("the table of algorithms fits at %d" % width, sizes[0] <= sizes[1], sizes)
    path = TOP + "/alike.pnml"
    long = "component::" * 12
    open(path, "w", encoding="utf-8").write('<?xml version="1.0"?><pnml><net id="n">%s</net></pnml>' % "".join(
        '<place id="p%d"><name><text>%s%d</text></name><initialMarking><text>1</text></initialMarking></place>'
        '<transition id="t%d"><name><text>%s%d</text></name></transition>'
        '<arc id="a%d" source="p%d" target="t%d"/>' % (i, long, i, i, long, i, i, i, i) for i in range(8)))
    alike = page("alike", path)
    tab = browser.open(alike + "#net")
    for where_names, selector in (("enabled", "#enabled li bdi"), ("marking", "#view-net .panel .chip bdi")):
        names = tab.eval("[...document.querySelectorAll('%s')].map(n => n.innerText)" % selector)
        check("names that end differently look different: " + where_names, len(names) == len(set(names)) == 8, names)
    # a run that is longer than the window, at its end, in its middle and at its beginning: the step is between heads
    # and legend
    run("gen", "chain", 40, "-q", "-o", TOP + "/chain.pnml")
    tab = browser.open(page("chain", TOP + "/chain.pnml") + "#run", 1280, 500)
    place = """(v => {
        const n = v.nodes[v.at - 1], a = v.scene.toScreen(n.x, n.y), h = n.h / 2 * v.scene.scale, r = v.scene.room();
        return [a.y - h - r.t, v.scene.height - r.b - a.y - h];
    })(mazurka.views.get('run'))"""
    n = tab.eval("mazurka.views.get('run').story.length")
    for k in (n, n // 2, 3, n):
        tab.eval("mazurka.views.get('run').slider.set(%d)" % k)
        tab.settle()
        above, below = tab.eval(place)
        check("step %d is in sight" % k, above >= 31 and below >= -1, (above, below))


def pictures(browser):
    if not KEEP:
        return
    os.makedirs(KEEP, exist_ok=True)
    pages = [("net", page("phil", net("philosophers-3.pnml")) + "#net"),
             ("prefix", page("phil", net("philosophers-3.pnml")) + "#prefix/3"),
             ("histories", page("readers", net("readers-2.pnml"), "--relation", "read") + "#prefix/2"),
             ("run", page("wake", net("programs/lostwakeup.mzk")) + "#run/5"),
             ("tree", page("ssb", net("programs/ssb.mzk")) + "#tree")]
    for (what, address), (w, h), dark in itertools.product(pages, ((1280, 800), (390, 844)), (False, True)):
        browser.open(address, w, h, dark).screenshot("%s/%s-%d%s.png" % (KEEP, what, w, "-dark" if dark else ""))


try:
    with Browser() as b:
        for part in (net_view, prefix_view, run_view, tree_view, c_programs, pages_of_commands, hostile, large, room,
                     pictures):
            if not sys.argv[1:] or part.__name__ in sys.argv[1:]:  # named ones alone while working on them
                part(b)
finally:
    shutil.rmtree(TOP, ignore_errors=True)
print("%d passed, %d failed" % (passed, failed))
sys.exit(1 if failed else 0)
