"""What each command says, held against the truth: raises Failure where it is wrong, counts what it answers."""
import collections
import json
import os
import re
import resource
import subprocess

import cases
import formulas
import search

MAZURKA = os.path.abspath(os.environ.get("MAZURKA", "./mazurka"))
SECONDS, HANGS = 2, 120
NETWIDE = ("ReachabilityDeadlock", "OneSafe", "StableMarking", "QuasiLiveness", "Liveness", "StateSpace")
FILES = ("ReachabilityCardinality", "ReachabilityFireability", "UpperBounds")
asked, answered = collections.Counter(), collections.Counter()


class Failure(Exception):
    pass


def cpu():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def ask(*words, fine=(0, 1, 2)):
    """Exit code and standard output of a command that ends as it should. Walks never end by themselves."""
    seconds = 0.2 if "walk" in words else SECONDS
    command = [MAZURKA, *words, "--time", str(seconds), "--threads", "1"]
    before = cpu()
    try:
        run = subprocess.run(command, capture_output=True, timeout=HANGS)
    except subprocess.TimeoutExpired:
        raise Failure("hangs: %s" % " ".join(command))
    if run.returncode not in fine or b"internal error" in run.stdout:
        said = (run.stdout[-2000:] + run.stderr[-2000:]).decode("utf-8", "replace")
        raise Failure("exit %d: %s\n%s" % (run.returncode, " ".join(command), said))
    if cpu() - before > 1.05 * seconds + 0.5:
        raise Failure("%.1f s of CPU time: %s" % (cpu() - before, " ".join(command)))
    return run.returncode, run.stdout.decode("utf-8")


def count(who, known):
    asked[who] += 1
    answered[who] += known


# ---- check ----

def judge(who, space, question, reached, run):
    """reached None: unknown."""
    count(who, reached is not None)
    if reached is None:
        return
    if question.truth is not None and reached != question.truth:
        raise Failure("%s says %s, which is wrong: %s" % (who, "reachable" if reached else "unreachable", question.id))
    end = space.run(run or []) if reached else None
    if reached and (run is None or end is None or not formulas.holds(cases.goal(question), space, end)):
        raise Failure("%s: the run of %s does not lead there" % (who, question.id))


def run_of(row):
    """The witness of an answer, however it is told."""
    repeated = row.get("witness_repeated")
    return [(r["transition"], r["times"]) for r in repeated] if repeated else row.get("witness")


def reached_by(verdict, always):
    return None if verdict == "unknown" else (verdict == "holds") != always


def check_file(folder, space, questions, way):
    engine, relation = way
    who = "check " + "/".join(filter(None, way))
    words = ["--engine", engine] + (["--relation", relation] if relation else [])
    _, out = ask("check", "--json", net_file(folder, way), "--property", os.path.join(folder, "q.xml"), *words)
    rows = [json.loads(line) for line in out.splitlines()]
    told = {row["property"]: row for row in rows}
    for question in questions:
        if question.id not in told and None in told:  # the time was over inside a library, or on a busy machine
            continue
        if question.id not in told:
            raise Failure("%s: nothing about %s" % (who, question.id))
        row = told[question.id]
        try:
            judge(who, space, question, reached_by(row["verdict"], question.always), run_of(row))
        except Failure as failure:
            failure.question, failure.way = question, way
            raise


def net_file(folder, way):
    """As PNML, or in another format that holds the net."""
    endings = ("pnml", "ll_net", "pnml", "lola", "net", "tpn")
    other = os.path.join(folder, "model." + endings[len(str(way)) % len(endings)])
    return other if os.path.exists(other) else os.path.join(folder, "model.pnml")


def check_expression(rng, folder, space, question, way):
    engine, relation = way
    words = ["--engine", engine] + (["--relation", relation] if relation else [])
    expression = formulas.text(question.formula, space.net, rng)
    asks = "--invariant" if question.always else "--reach"
    code, out = ask("check", "--json", net_file(folder, way), asks, expression, *words, fine=(0, 1, 2, 3))
    if code == 3 and all(abs(n) < 2**40 for n in map(int, re.findall(r"\b\d+\b", expression))):
        raise Failure("refuses %s" % expression)
    if code != 3:
        row = json.loads(out)
        judge("check expression", space, question, reached_by(row["verdict"], question.always), run_of(row))


# ---- the contest ----

def netwide_truth(space, name):
    """What it must be, or None when that is not known."""
    full = space.complete
    if name == "ReachabilityDeadlock":
        return True if len(space.dead()) else False if full else None
    if name == "OneSafe":
        return False if not space.one_safe() else True if full else None
    if name == "StableMarking":
        return False if not space.stable() else True if full else None
    if name == "QuasiLiveness":
        return True if space.quasi_live() else False if full else None
    return space.live() if full else None


def contest_netwide(folder, space, name):
    _, out = ask("mcc", folder, "--examination", name)
    if name != "StateSpace":
        found = re.search(r"^FORMULA %s (TRUE|FALSE) " % name, out, re.M)
        truth = netwide_truth(space, name)
        count("mcc " + name, bool(found))
        if found and truth is not None and (found[1] == "TRUE") != truth:
            raise Failure("mcc %s says %s, which is wrong" % (name, found[1]))
        return
    places = range(len(space.net.places))
    facts = dict(re.findall(r"^STATE_SPACE (\w+) (\S+) ", out, re.M))
    count("mcc StateSpace", bool(facts))
    if space.complete:
        truth = {"STATES": space.states(), "TRANSITIONS": space.firings(), "MAX_TOKEN_PER_MARKING": space.most(places),
                 "MAX_TOKEN_IN_PLACE": max((space.most([p]) for p in places), default=0)}
        for key, value in facts.items():
            if value not in ("-1", str(truth[key])):
                raise Failure("mcc StateSpace says %s is %s, not %d" % (key, value, truth[key]))
    elif facts and space.unbounded and set(facts.values()) - {"+inf", "-1"}:
        raise Failure("mcc StateSpace is finite on an unbounded net: %s" % facts)


def contest_file(rng, folder, space, name):
    net, written, truths = space.net, [], {}
    for i in range(8):
        if name == "UpperBounds" and net.places:
            most = 1 if isinstance(space, search.Chain) else min(len(net.places), rng.choice((1, 1, 2, 3)))
            places = rng.sample(range(len(net.places)), most)
            truths["b%d" % i] = space.most(places)
            written.append(formulas.xml_bound("b%d" % i, places, net))
        elif name != "UpperBounds":
            only = "cardinality" if name == "ReachabilityCardinality" else "fireability"
            q = cases.question_about(rng, space, "b%d" % i, only)
            truths[q.id] = None if q.truth is None else q.truth != q.always
            written.append(formulas.xml_reach(q.id, q.formula, net, q.always))
    if None in written or not written:
        return
    with open(os.path.join(folder, name + ".xml"), "w", encoding="utf-8") as file:
        file.write(formulas.xml_file(written))
    _, out = ask("mcc", folder, "--examination", name)
    told = dict(re.findall(r"^FORMULA (\S+) (\S+) TECH", out, re.M))
    for key, truth in truths.items():
        count("mcc " + name, key in told)
        value = told.get(key)
        if value is None or truth is None:
            continue
        if name == "UpperBounds":
            wrong = value != str(truth) if space.complete else value != "+inf" and int(value) < truth
        else:
            wrong = value != str(truth).upper()
        if wrong:
            raise Failure("mcc %s says %s is %s, which is wrong: %s" % (name, key, value, truth))


# ---- prefixes and explorations ----

def explore(rng, folder, space):
    relation = rng.choice(("none", "classic", "read", "loops", "proved"))
    words = rng.choice(([], ["--search", "bfs"], ["--alternatives", "k=1"], ["--alternatives", "source"],
                        ["--cache", "0"]))
    if space.complete and space.terminates():
        algorithm = rng.choice(("upor", "sleep", "sdpor", "odpor", "cdpor"))
        if algorithm != "upor":
            words = ["--algorithm", algorithm]
        if algorithm == "cdpor":
            relation = "conditional"
    _, out = ask("explore", "--json", os.path.join(folder, "model.pnml"), "--relation", relation, *words)
    row = json.loads(out)
    count("explore " + row["algorithm"], bool(row["complete"]))
    if row["complete"] and space.complete and row["deadlocks"] != len(space.dead()):
        raise Failure("explore --relation %s %s finds %s dead markings of %d" % (
            relation, " ".join(words), row["deadlocks"], len(space.dead())))
    if row["complete"] and space.unbounded:
        raise Failure("explore is complete on an unbounded net")


def refuted(space, row):
    """What a run shows that unfold ends with: a place with two tokens, or growth."""
    end = space.run(row["witness"])
    if "unsafe_place" in row:
        shown = end and end[[name for name, _ in space.net.places].index(row["unsafe_place"])] > 1
    else:
        before = space.run(row["witness"][:row["pump_from"]])
        shown = end and end != before and all(a <= b for a, b in zip(before, end)) and not space.complete
    if not shown:
        raise Failure("unfold ends with a run that shows nothing: %s" % row)


def unfold(rng, folder, space):
    relation = rng.choice(("classic", "read", "loops", "proved"))
    order = rng.choice(("mcmillan", "parikh", "erv", "mole"))
    code, out = ask("unfold", "--json", os.path.join(folder, "model.pnml"), "--relation", relation, "--order", order,
                    fine=(0, 1, 2, 3))
    if code == 3:
        if space.complete and space.one_safe() and not any(ban for _, ban, _ in space.rules):
            raise Failure("unfold refuses a safe net")
        return
    row = json.loads(out)
    count("unfold", code != 2)
    if code == 1:
        refuted(space, row)
    if row["complete"] and space.unbounded:
        raise Failure("unfold is complete on an unbounded net")
    if row["complete"] and space.complete and space.one_safe() and (relation, order) == ("classic", "erv") and \
            row["events"] - row["cutoffs"] > len(space.markings) - 1:
        raise Failure("unfold has more events that are no cutoffs than there are markings")
