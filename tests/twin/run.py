#!/usr/bin/env python3
"""The command line against a twin that shares nothing with it: nets.py makes nets, formulas.py questions, search.py
the truth. `check` by every engine and relation, `mcc`, `explore` by every algorithm, `unfold`.

An answer must be right and its run must replay here. UNKNOWN is counted; a crash, an internal error, a refusal of good
input or more CPU time than was given are failures. Each is saved with its seed, shrunk when a formula is at fault.

    run.py                  the seeds of `make check`; with MAZURKA_SOAK=1 more
    run.py --seeds A:B      others
    run.py --keep FOLDER    where failures go (twin-failures)"""
import argparse
import os
import random
import re
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True  # the folder may be read-only, or packed
import cases
import commands
import formulas
import nets
import search

SRC = os.environ.get("SRCDIR", os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
with open(os.path.join(SRC, "src/verify/engines.def"), encoding="utf-8") as table:
    ENGINES = re.findall(r"^ENGINE\((\w+)", table.read(), re.M)
WAYS = [(engine, None) for engine in ENGINES] + \
       [(engine, relation) for engine in ("unfold", "explore") for relation in ("classic", "read", "loops")]


def write_case(folder, space, questions, rng):
    properties = (formulas.xml_reach(q.id, q.formula, space.net, q.always) for q in questions)
    for name, text in (("model.pnml", nets.pnml(space.net, rng)), ("model.ll_net", nets.ll_net(space.net)),
                       ("model.lola", nets.lola(space.net)), ("model.tpn", nets.tpn(space.net)),
                       ("model.net", nets.tina(space.net)), ("q.xml", formulas.xml_file(filter(None, properties)))):
        if text is not None:
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)


def run_seed(seed, folder):
    rng = random.Random(seed)
    space = cases.make_space(rng)
    questions = [cases.question_about(rng, space, "q%d" % i) for i in range(12)]
    write_case(folder, space, questions, rng)
    in_file = [q for q in questions if formulas.xml(q.formula, space.net)]
    small = isinstance(space, search.Space)
    for way in rng.sample(WAYS, len(WAYS) if small else 6):
        if in_file:
            commands.check_file(folder, space, in_file, way)
    for question in questions[:3]:
        commands.check_expression(rng, folder, space, question, rng.choice(WAYS))
    for name in rng.sample(commands.NETWIDE, 2):
        if name != "StateSpace" or not isinstance(space, search.Chain):
            commands.contest_netwide(folder, space, name)
    commands.contest_file(rng, folder, space, rng.choice(commands.FILES))
    if small:
        commands.explore(rng, folder, space)
        commands.unfold(rng, folder, space)


def still_fails(net, formula, always, way, folder):
    space = search.Space(net)
    question = cases.settled(space, cases.Question("q", formula, always, None))
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    write_case(folder, space, [question], random.Random(0))
    try:
        commands.check_file(folder, space, [question], way)
    except commands.Failure:
        return True
    return False


def shrink(net, question, way, folder):
    """Greedily fewer transitions, places and smaller formulas, as long as the answer stays wrong."""
    formula, smaller = question.formula, True
    while smaller:
        smaller = False
        tries = [(net.without(transition=t), formulas.renamed(formula, transition=t))
                 for t in range(len(net.transitions))]
        tries += [(net.without(place=p), formulas.renamed(formula, place=p)) for p in range(len(net.places))]
        tries += [(net, f) for f in formulas.parts(formula)]
        for other, f in tries:
            if f is not None and still_fails(other, f, question.always, way, folder):
                net, formula, smaller = other, f, True
                break
    still_fails(net, formula, question.always, way, folder)
    return formula


def save(seed, failure, folder, keep):
    place = os.path.join(keep, str(seed))
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(folder, place)
    note = "seed %d: %s\n" % (seed, failure)
    question = getattr(failure, "question", None)
    space = cases.make_space(random.Random(seed))
    if question and isinstance(space, search.Space):
        formula = shrink(space.net, question, failure.way, os.path.join(place, "small"))
        note += "small: %s %s by %s\n" % ("AG" if question.always else "EF", formula, failure.way)
    with open(os.path.join(place, "NOTE"), "w", encoding="utf-8") as file:
        file.write(note)
    print("FAILED: %s(%s)" % (note, place), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", default="1:1001" if os.environ.get("MAZURKA_SOAK") == "1" else "1:31")
    parser.add_argument("--keep", default="twin-failures")
    arguments = parser.parse_args()
    first, end = map(int, arguments.seeds.split(":"))
    failed = 0
    for seed in range(first, end):
        with tempfile.TemporaryDirectory(prefix="twin") as folder:
            try:
                run_seed(seed, folder)
            except commands.Failure as failure:
                failed += 1
                save(seed, failure, folder, arguments.keep)
    for who in sorted(commands.asked):
        print("%-32s %6d of %6d answered" % (who, commands.answered[who], commands.asked[who]))
    triples = sum(commands.asked.values())
    print("seeds %d:%d: %d triples, %.0f s CPU" % (first, end, triples, commands.cpu()))
    print("%d passed, %d failed" % (triples - failed, failed))
    sys.exit(1 if failed or not commands.asked else 0)


main()
