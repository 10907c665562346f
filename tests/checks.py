"""What a test counts: every check passes or fails, a failure is printed where it happens, and the last line has the
numbers (tests/count.py adds them up)."""
import sys

passed = failed = 0


def check(ok, message):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print("FAILED: " + message)
    return ok


def finish():
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(1 if failed else 0)
