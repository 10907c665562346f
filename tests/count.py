#!/usr/bin/env python3
"""Sums up what the test programs of a build printed: count.py BUILD. Last line: N passed, N failed, N skipped."""
import glob
import os
import re
import subprocess
import sys

build = sys.argv[1]
passed = failed = skipped = 0
listed = subprocess.run(["make", "-s", "-C", build, "list-tests"], capture_output=True, text=True).stdout.split()
ran = set()
for trs in sorted(glob.glob(os.path.join(build, "tests", "**", "*.trs"), recursive=True)):
    log = open(trs[:-4] + ".log", encoding="utf-8", errors="replace").read()
    result = re.search(r":global-test-result: (\w+)", open(trs).read()).group(1)
    name = os.path.relpath(trs[:-4], build)
    ran.add(name)
    here = [0, 0, 0]
    for checks, failures, errors in re.findall(r"%: Checks: (\d+), Failures: (\d+), Errors: (\d+)", log):
        bad = int(failures) + int(errors)
        here[0] += int(checks) - bad
        here[1] += bad
    for line in re.findall(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$", log, re.M):
        for i in range(3):
            here[i] += int(line[i] or 0)
    here[2] += len(re.findall(r"^skipped?:", log, re.M | re.I))
    if result == "SKIP":
        here[2] += 1
    # a test that counts nothing has tested nothing
    if not any(here) or (result not in ("PASS", "SKIP") and not here[1]):
        here[1] = 1
    print("%-40s %6d passed %4d failed %4d skipped   %s" % (name, *here, result))
    if here[1]:
        print("".join("  | %s\n" % l for l in log.splitlines()[-40:]), end="")
    passed, failed, skipped = passed + here[0], failed + here[1], skipped + here[2]
for name in listed or ["(none)"]:
    if os.path.splitext(name)[0] not in ran:
        print("%-40s did not run; see %s" % (name, os.path.join(build, "check.log")))
        failed += 1
print("%d passed, %d failed, %d skipped" % (passed, failed, skipped))
sys.exit(1 if failed else 0)
