#!/usr/bin/env python3
"""Signals for a program that hears them by now. On a busy machine nobody knows when that is: the kernel does.

    heard.py SIGNAL COMMAND...     sends it as soon as the command handles it; the exit code is the command's

MAZURKA_SLOW is how many times more patient tests are than usual, for a build with sanitizers, say.
"""
import os
import re
import signal
import subprocess
import sys
import time

SLOW = float(os.environ.get("MAZURKA_SLOW", "1"))


def wait_for(fact, seconds=60):
    """Until it is so, or for a long time. Is it?"""
    end = time.monotonic() + seconds * SLOW
    while not fact():
        if time.monotonic() > end:
            return False
        time.sleep(0.005)
    return True


def handles(process, number):
    try:
        status = open("/proc/%d/status" % process.pid).read()
    except OSError:
        return False
    caught = re.search(r"^SigCgt:\s*([0-9a-f]+)", status, re.M)
    return bool(caught) and bool(int(caught.group(1), 16) >> (number - 1) & 1)


def send(process, number, after=0):
    """So many seconds after it is heard. One that has ended by then gets nothing."""
    if wait_for(lambda: process.poll() is not None or handles(process, number)):
        time.sleep(after)
    process.send_signal(number)


def main():
    process = subprocess.Popen(sys.argv[2:])
    send(process, signal.Signals["SIG" + sys.argv[1]])
    return process.wait()


if __name__ == "__main__":
    sys.exit(main())
