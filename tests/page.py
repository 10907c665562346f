#!/usr/bin/env python3
"""Opens the batch report in headless Chromium and looks at what a reader would see. Skips (exit 77) without Chromium."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

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
            subprocess.run([MAZURKA, "batch", nets, "--examinations", "ReachabilityDeadlock", "--engine", engine, "-o", "%s/%s.jsonl" % (top, engine)],
                           check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        page = top + "/report.html"
        subprocess.run([MAZURKA, "batch-report", top + "/explicit.jsonl", top + "/unfold.jsonl", "--html", page], check=True, stdout=subprocess.DEVNULL)
        dom = browser(top + "/profile", "--dump-dom", "file://" + page).stdout
        shot = top + "/shot.png"
        browser(top + "/profile", "--screenshot=" + shot, "file://" + page)
        checks = [
            ("two plots", len(re.findall(r'<svg class="plot"', dom)) == 2),
            ("a curve per file", len(re.findall(r'class="steps', dom)) == 2),
            ("a point per query", len(re.findall(r"<circle", dom)) == 4),
            ("tables", dom.count("<table") >= 8),
            ("a screenshot", os.path.exists(shot) and png_size(shot) == (1400, 1600) and os.path.getsize(shot) > 20000),
        ]
        keep = os.environ.get("KEEP_SCREENSHOT")
        if keep:
            shutil.copy(shot, keep)
        for what, ok in checks:
            passed, failed = passed + ok, failed + (not ok)
            if not ok:
                print("FAILED: " + what)
    finally:
        shutil.rmtree(top, ignore_errors=True)
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(1 if failed else 0)


main()
