/* PNML of coloured nets in few words, for tests. */
#pragma once

#define ST(term) "<subterm>" term "</subterm>"
#define ONE(op, a) "<" op ">" ST(a) "</" op ">"
#define TWO(op, a, b) "<" op ">" ST(a) ST(b) "</" op ">"
#define VAR(id) "<variable refvariable='" id "'/>"
#define OP(id) "<useroperator declaration='" id "'/>"
#define ALL(sort) "<all><usersort declaration='" sort "'/></all>"
#define DOT "<dotconstant/>"
#define NUMBER(n) "<numberconstant value='" #n "'><positive/></numberconstant>"
#define TIMES(n, a) TWO("numberof", NUMBER(n), a)
#define INT(value, from, to)                                                                                           \
    "<finiteintrangeconstant value='" #value "'><finiteintrange start='" #from "' end='" #to "'/>"                     \
    "</finiteintrangeconstant>"

#define USE(sort) "<usersort declaration='" sort "'/>"
#define SORT(id, definition) "<namedsort id='" id "' name='" id "'>" definition "</namedsort>"
#define VARIABLE(id, sort) "<variabledecl id='" id "' name='" id "'>" USE(sort) "</variabledecl>"
#define CONSTANT(id) "<feconstant id='" id "' name='" id "'/>"
#define CYCLIC(constants) "<cyclicenumeration>" constants "</cyclicenumeration>"
#define FINITE(constants) "<finiteenumeration>" constants "</finiteenumeration>"
#define RANGE(from, to) "<finiteintrange start='" #from "' end='" #to "'/>"
#define PRODUCT(parts) "<productsort>" parts "</productsort>"
#define OPERATOR(id, parameters, definition)                                                                           \
    "<namedoperator id='" id "'><parameter>" parameters "</parameter><def>" definition "</def></namedoperator>"
#define DECLARE(all) "<declaration><structure><declarations>" all "</declarations></structure></declaration>"

#define PLACE(id, sort, marking)                                                                                       \
    "<place id='" id "'><type><structure>" USE(sort) "</structure></type><hlinitialMarking><structure>" marking        \
                                                     "</structure></hlinitialMarking></place>"
#define EMPTY_PLACE(id, sort) "<place id='" id "'><type><structure>" USE(sort) "</structure></type></place>"
#define TRANSITION(id) "<transition id='" id "'/>"
#define GUARDED(id, guard)                                                                                             \
    "<transition id='" id "'><condition><structure>" guard "</structure></condition></transition>"
#define ARC(from, to, term)                                                                                            \
    "<arc id='" from "-" to "' source='" from "' target='" to "'><hlinscription><structure>" term                      \
    "</structure></hlinscription></arc>"

#define NET(inside) "<pnml><net id='n' type='x/symmetricnet'>" inside "</net></pnml>"
#define ABC SORT("abc", CYCLIC(CONSTANT("a") CONSTANT("b") CONSTANT("c"))) VARIABLE("x", "abc") VARIABLE("y", "abc")
