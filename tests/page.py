#!/usr/bin/env python3
"""Opens the batch report in a real Chromium and looks at what a reader would see. Skips (exit 77) without Chromium.
KEEP_SCREENSHOTS=FOLDER keeps pictures."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

from chromium import Browser, find_or_skip

find_or_skip()
MAZURKA = os.environ["MAZURKA"]
KEEP = os.environ.get("KEEP_SCREENSHOTS")
TOP = tempfile.mkdtemp()
passed = failed = 0


def check(what, ok, detail=""):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print("FAILED: %s %s" % (what, str(detail)[:500]))


def run(*words):
    return subprocess.run([MAZURKA, *words], capture_output=True, text=True)


def make_results():
    nets = TOP + "/nets"
    os.makedirs(nets)
    for n in range(2, 6):
        run("gen", "philosophers", str(n), "-o", "%s/phil-%d.pnml" % (nets, n))
    for engine in ("explicit", "unfold"):
        run("batch", nets, "--examinations", "ReachabilityDeadlock", "--engine", engine, "--time", "60", "-o",
            "%s/%s.jsonl" % (TOP, engine), "--witnesses", TOP + "/kept & safe/" + engine)
    # a net that nobody answers, in one of the files
    open(nets + "/zz-broken.pnml", "w").write("<pnml>")
    run("batch", nets, "--examinations", "ReachabilityDeadlock", "-o", TOP + "/explicit.jsonl", "--resume")
    # one that one file solves and the other does not, and one with different answers: hand-made rows
    row = {"instance": "hand-1", "examination": "ReachabilityDeadlock", "id": "d", "verdict": None,
           "reason": "time limit; walk stopped at its share", "wall": 60.0, "cpu": 60.0, "peak_kib": 2048, "rows": 1,
           "repeat": 0}
    hostile = dict(row, instance="</script><img src=x onerror=window.hacked=1>", verdict="TRUE", reason=None, wall=0.5)
    for name, verdict in (("explicit", None), ("unfold", "TRUE")):
        with open("%s/%s.jsonl" % (TOP, name), "a") as f:
            f.write(json.dumps(dict(row, verdict=verdict, reason=row["reason"] if verdict is None else None)) + "\n")
            f.write(json.dumps(dict(row, instance="hand-2", verdict="TRUE" if verdict else "FALSE", reason=None,
                                    wall=2.0)) + "\n")
            f.write(json.dumps(hostile) + "\n")
    return nets


def rows_of(tab):
    return tab.eval(
        "[...document.querySelectorAll('#queries tbody tr')].map(r => [...r.cells].map(c => c.innerText.trim()))")


def choose(tab, selector, value):
    tab.eval("(s => { s.value = %s; s.dispatchEvent(new Event('change')); })(document.querySelector('%s'))" %
             (json.dumps(value), selector))


def report(browser, nets):
    os.makedirs(TOP + "/pages/of mine")
    page, csv = TOP + "/pages/of mine/report.html", TOP + "/pages/r.csv"  # not where the results are
    done = run("batch-report", TOP + "/explicit.jsonl", TOP + "/unfold.jsonl", "--html", page, "--csv", csv)
    check("it is written", done.returncode == 0, done.stderr)
    address = "file://" + urllib.parse.quote(page)
    tab = browser.open(address, 1280, 900)
    version = subprocess.run([MAZURKA, "--version"], capture_output=True, text=True).stdout.strip()
    check("version and date", tab.text("#made").startswith(version + ", report of 20"), tab.text("#made"))
    check("limits and machine", "60 s" in tab.text("#settings") and "engine unfold" in tab.text("#settings") and
          " GB" in tab.text("#settings"), tab.text("#settings"))
    rows = rows_of(tab)
    check("one row per query, one column per file", len(rows) == 8 and all(len(r) == 5 for r in rows), rows)
    both = {r[0]: r[3:] for r in rows}
    check("verdicts of both", all(both["phil-%d" % n][k].startswith("TRUE") for n in range(2, 6) for k in (0, 1)), both)
    check("what only one file has",
          both["zz-broken"][1] == "–" and "zz-broken.pnml:1:7: XML: the file ends" in both["zz-broken"][0] and
          TOP not in both["zz-broken"][0], both.get("zz-broken"))
    check("who solves what",
          "8 queries; all files solve 6, none solves 1, 1 get different answers." == tab.text("#joined"),
          tab.text("#joined"))
    check("a reason by its head", "time limit" in both["hand-1"][0] and "share" not in both["hand-1"][0],
          both["hand-1"])
    choose(tab, "#which", "only1")
    check("filter: only one solves", [r[0] for r in rows_of(tab)] == ["hand-1"], rows_of(tab))
    choose(tab, "#which", "differ")
    check("filter: different answers", [r[0] for r in rows_of(tab)] == ["hand-2"], rows_of(tab))
    choose(tab, "#which", "")
    tab.eval(
        "(i => { i.value = 'phil-3'; i.dispatchEvent(new Event('input')); })(document.querySelector('.filters input'))")
    check("filter by name", [r[0] for r in rows_of(tab)] == ["phil-3"] and tab.text("#count") == "1 of 8", rows_of(tab))
    tab.eval("(i => { i.value = ''; i.dispatchEvent(new Event('input')); })(document.querySelector('.filters input'))")
    tab.press("#queries thead th:nth-child(4) button")
    check("sorted by time, unsolved last", rows_of(tab)[-1][0] in ("hand-1", "zz-broken"), rows_of(tab))
    plots = tab.eval(
        "[...document.querySelectorAll('svg.plot')].map(s => ({steps: s.querySelectorAll('.steps').length, "
        "points: s.querySelectorAll('circle').length, limits: [...s.querySelectorAll('.limit-name')].length}))")
    check("a curve per file; a point per query that both have",
          plots == [{"steps": 2, "points": 0, "limits": 0}, {"steps": 0, "points": 7, "limits": 2}], plots)
    marked = tab.eval("(s => { const x = Number(s.querySelector('line.limit').getAttribute('x1')); "
                      "return [...s.querySelectorAll('circle')].filter(c => Math.abs(Number(c.getAttribute('cx')) - x) "
                      "< 1).map(c => c.textContent); })(document.querySelectorAll('svg.plot')[1])")
    check("timeouts lie on a marked line", len(marked) == 1 and marked[0].startswith("hand-1"), marked)
    links(tab, browser, nets, csv)
    check("names stay names",
          tab.eval("window.hacked") is None and tab.eval("document.querySelectorAll('img').length") == 0)
    check("no errors, nothing refused", not tab.problems, tab.problems)
    for width in (1280, 390):
        for dark in (False, True):
            other = browser.open(address, width, 844, dark)
            check("no wider than %d" % width, other.eval("document.documentElement.scrollWidth") <= width,
                  other.eval("document.documentElement.scrollWidth"))
            if KEEP:
                os.makedirs(KEEP, exist_ok=True)
                other.screenshot("%s/batch-%d%s.png" % (KEEP, width, "-dark" if dark else ""))
    dark = browser.open(address, 1280, 900, True)
    colour = "getComputedStyle(document.body).backgroundColor"
    check("dark where that is wanted", dark.eval(colour) != tab.eval(colour))


def links(tab, browser, nets, csv):
    """As the browser resolves them."""
    addresses = tab.eval("[...document.querySelectorAll('a.evidence')].map(a => a.href)")
    targets = [urllib.parse.unquote(a)[len("file://"):] for a in addresses]
    check("a link per witness", len(targets) == 8, targets)
    check("links lead to files", all(os.path.isfile(t) for t in targets), targets)
    replayed = [run("replay", "-q", "%s/%s.pnml" % (nets, t.split("/")[-3]), t).stdout for t in targets
                if os.path.exists(t)]
    check("what is linked replays", len(replayed) == 8 and all("a deadlock" in text for text in replayed), replayed)
    followed = browser.open(addresses[0]).eval("document.body.innerText") if addresses else ""
    check("a link opens the run", targets and open(targets[0]).read().split()[0] in followed, followed)
    named = [line.split(",")[-2] for line in open(csv).read().splitlines()[1:]]
    check("the CSV names the same files", sorted(os.path.normpath(TOP + "/pages/" + n) for n in named if n) ==
          sorted(os.path.normpath(t) for t in targets), named)


try:
    with Browser() as b:
        report(b, make_results())
finally:
    shutil.rmtree(TOP, ignore_errors=True)
print("%d passed, %d failed" % (passed, failed))
sys.exit(1 if failed else 0)
