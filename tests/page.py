#!/usr/bin/env python3
"""Opens the batch report in headless Chromium and looks at what a reader would see. Skips (exit 77) without Chromium."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

MAZURKA = os.environ["MAZURKA"]
chromium = shutil.which("chromium") or shutil.which("chromium-browser")
if not chromium:
    print("skipped: Chromium is not installed (MAZURKA_FULL=1 ./bootstrap check installs it)")
    sys.exit(77)


def browser(profile, *arguments):
    return subprocess.run([chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                           "--disable-background-networking", "--disable-component-update", "--disable-sync", "--user-data-dir=" + profile,
                           "--window-size=1400,1600", "--virtual-time-budget=3000"] + list(arguments), capture_output=True, text=True, timeout=120)


def png_size(path):
    head = open(path, "rb").read(24)
    return (int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big")) if head[:8] == b"\x89PNG\r\n\x1a\n" else None


def main():
    passed = failed = 0
    top = tempfile.mkdtemp()
    try:
        nets = top + "/nets"
        os.makedirs(nets)
        for n in range(2, 6):
            subprocess.run([MAZURKA, "gen", "philosophers", str(n), "-o", "%s/phil-%d.pnml" % (nets, n)], check=True, stderr=subprocess.DEVNULL)
        for engine in ("explicit", "unfold"):
            subprocess.run([MAZURKA, "batch", nets, "--examinations", "ReachabilityDeadlock", "--engine", engine, "-o", "%s/%s.jsonl" % (top, engine),
                            "--witnesses", top + "/kept & safe/" + engine], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        # a third net that nobody answers, so that there is something unsolved
        open(nets + "/zz-broken.pnml", "w").write("<pnml>")
        subprocess.run([MAZURKA, "batch", nets, "--examinations", "ReachabilityDeadlock", "-o", top + "/explicit.jsonl", "--resume"], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.makedirs(top + "/pages/of mine")
        page = top + "/pages/of mine/report.html" # not where the results are
        csv = top + "/pages/r.csv"
        subprocess.run([MAZURKA, "batch-report", top + "/explicit.jsonl", top + "/unfold.jsonl", "--html", page, "--csv", csv], check=True,
                       stdout=subprocess.DEVNULL)
        address = "file://" + urllib.parse.quote(page)
        dom = browser(top + "/profile", "--dump-dom", address).stdout
        shot, dark = top + "/shot.png", top + "/dark.png"
        browser(top + "/profile", "--screenshot=" + shot, address)
        browser(top + "/profile", "--blink-settings=preferredColorScheme=0", "--screenshot=" + dark, address)
        # links as the browser resolves them: a copy of the page in its folder writes their addresses into its text
        probe = os.path.dirname(page) + "/probe.html"
        open(probe, "w").write(open(page).read().replace("</body>", "<pre id=p></pre><script>document.getElementById('p').textContent="
                                                         "[...document.querySelectorAll('.evidence a')].map(a=>'LINK '+a.href).join('\\n')</script></body>"))
        links = re.findall(r"LINK file://(\S+)", browser(top + "/profile", "--dump-dom", "file://" + urllib.parse.quote(probe)).stdout)
        targets = [urllib.parse.unquote(link.split("<")[0].replace("&amp;", "&")) for link in links]
        followed = browser(top + "/profile", "--dump-dom", "file://" + urllib.parse.quote(targets[0])).stdout if targets else ""
        replayed = [subprocess.run([MAZURKA, "replay", "-q", "%s/%s.pnml" % (nets, t.split("/")[-3]), t], capture_output=True, text=True).stdout
                    for t in targets if os.path.exists(t)]
        named = [line.split(",")[-2] for line in open(csv).read().splitlines()[1:]]
        checks = [
            ("two plots", len(re.findall(r'<svg class="plot"', dom)) == 2),
            ("a curve per file", len(re.findall(r'class="steps', dom)) == 2),
            ("a point per query", len(re.findall(r"<circle", dom)) == 4),
            ("tables", dom.count("<table") >= 8),
            ("a link per witness", len(targets) == 8),
            ("links lead to files", all(os.path.isfile(t) for t in targets)),
            ("a link opens the run", targets and open(targets[0]).read().split()[0] in followed),
            ("what is linked replays", len(replayed) == 8 and all("a deadlock" in text for text in replayed)),
            ("the CSV names the same files", [os.path.normpath(top + "/pages/" + n) for n in named if n] == [os.path.normpath(t) for t in targets]),
            ("the unsolved query and its reason", "zz-broken" in dom and "Unsolved: 1" in dom and "cannot be read" in dom),
            ("the page is dark where that is wanted", os.path.exists(dark) and open(dark, "rb").read() != open(shot, "rb").read()),
            ("a screenshot", os.path.exists(shot) and png_size(shot) == (1400, 1600) and os.path.getsize(shot) > 20000),
        ]
        keep = os.environ.get("KEEP_SCREENSHOT")
        if keep:
            shutil.copy(shot, keep)
            shutil.copy(dark, keep + ".dark.png")
        for what, ok in checks:
            passed, failed = passed + ok, failed + (not ok)
            if not ok:
                print("FAILED: " + what)
    finally:
        shutil.rmtree(top, ignore_errors=True)
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(1 if failed else 0)


main()
