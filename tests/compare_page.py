#!/usr/bin/env python3
"""The page of `mazurka compare --html`: well formed, self-contained, and drawn by a browser.

Without a browser the checks that need none are made."""
import html.parser
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

NET = """PEP
PTNet
FORMAT_N
PL
1"p"M1
2"q1"M1
3"q2"M1
4"r<1>"
5"r2"
6"c"
TR
1"read & go"
2"t2"
3"take"
TP
1<4
2<5
3<6
PT
2>1
3>2
1>3
RA
1<1
2<1
"""
VOID = {"meta", "br", "hr", "img", "link", "input"}


class Checker(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.count, self.classes = [], {}, {}

    def handle_starttag(self, tag, attributes):
        self.count[tag] = self.count.get(tag, 0) + 1
        for name, value in attributes:
            assert name not in ("src", "href", "srcset", "data", "action"), "%s refers to %s" % (tag, value)
            if name == "class":
                for c in value.split():
                    self.classes[c] = self.classes.get(c, 0) + 1
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.handle_endtag(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, "</%s> closes %s" % (tag, self.open[-1:])
        self.open.pop()


def png_size(path):
    with open(path, "rb") as f:
        head = f.read(24)
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", head[16:24])


def main():
    passed = failed = 0

    def check(what, ok, detail=""):
        nonlocal passed, failed
        passed, failed = passed + bool(ok), failed + (not ok)
        if not ok:
            print("FAILED: %s %s" % (what, detail))

    folder = tempfile.mkdtemp()
    net, page = os.path.join(folder, "n.ll_net"), os.path.join(folder, "page.html")
    with open(net, "w") as f:
        f.write(NET)
    run = subprocess.run([os.environ["MAZURKA"], "compare", "-q", "--cutoffs", "off", "--relation", "classic,read",
                          "--html", page, net], stdout=subprocess.PIPE)
    check("exit status", run.returncode == 0, run.returncode)
    text = open(page, encoding="utf-8").read()
    for word in ("http:", "https:", "@import", "url("):
        check("self-contained", word not in text, word)
    checker = Checker()
    checker.feed(text)
    checker.close()
    check("well formed", not checker.open, checker.open)
    # readers(2): 9 events under classic, 3 of them copies; 6 under read, in 3 boxes as "take" has four histories
    check("events", checker.classes["e"] == 12 and checker.classes["hi"] == 3, checker.classes)
    # 4: seconds worth a chart
    check("figures", checker.count["figure"] == 2 and checker.classes["bar"] in (2, 4), checker.classes)
    check("escaped names", "read &amp; go" in text)
    browser = next((p for p in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if p), None)
    if browser:
        common = [browser, "--headless", "--no-sandbox", "--disable-gpu",
                  "--user-data-dir=" + os.path.join(folder, "profile")]
        shot = os.path.join(folder, "page.png")
        subprocess.run(common + ["--screenshot=" + shot, "--window-size=1200,1400", "file://" + page], check=True,
                       timeout=120, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        check("a picture", png_size(shot) == (1200, 1400) and os.path.getsize(shot) > 15000, os.path.getsize(shot))
        dom = subprocess.run(common + ["--dump-dom", "file://" + page], check=True, timeout=120, stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL).stdout.decode()
        check("events as drawn", len(re.findall(r'<rect class="e', dom)) == 12)
        check("boxes are told", "6 events in 3 boxes" in dom)
    else:
        print("skipped: no browser is installed to draw the page (MAZURKA_FULL=1 ./bootstrap check installs chromium)")
    shutil.rmtree(folder)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
