#!/usr/bin/env python3
"""fuel.py K < in.pnml > out.pnml: each transition fires at most K times, so every run ends."""
import sys
import xml.etree.ElementTree as ET

fuel, tree = int(sys.argv[1]), ET.parse(sys.stdin)
for page in tree.iter():
    kind = page.tag.split("}")[-1]
    space = page.tag[: len(page.tag) - len(kind)]
    own = [n for n in page if n.tag == space + "transition"]
    for transition in own:
        name = transition.get("id")
        place = ET.SubElement(page, space + "place", id="fuel_" + name)
        ET.SubElement(ET.SubElement(place, space + "initialMarking"), space + "text").text = str(fuel)
        ET.SubElement(page, space + "arc", id="arc_fuel_" + name, source="fuel_" + name, target=name)
ET.register_namespace("", "http://www.pnml.org/version-2009/grammar/pnml")
tree.write(sys.stdout.buffer, xml_declaration=True, encoding="utf-8")
