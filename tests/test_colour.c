/* Coloured nets: every construct is read for what it means, shown by the expanded net's places and transitions; what is
 * not read is refused with its place. */
#include "test.h"

#include "coloured_text.h"

#include "base/error.h"
#include "certify/coloured_game.h"
#include "certify/coloured_net.h"
#include "colour/expand.h"
#include "colour/open.h"
#include "colour/read.h"
#include "net/colours.h"

#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static Net *open_text(const char *text, Budget *budget, GError **error)
{
    g_autoptr(Input) input = input_bytes(text, strlen(text), "f", budget);
    return colour_open(input, NULL, budget, error);
}

/* "p(a) p(b)=2 | t(x = a): p(a) -> 2*p(b); ..." */
static char *describe(const Net *net)
{
    GString *text = g_string_new(NULL);
    for (uint32_t p = 0; p < net->n_places; p++) {
        g_string_append_printf(text, "%s%s", p ? " " : "", net_place_id(net, p));
        if (net->initial[p]) g_string_append_printf(text, "=%" G_GUINT64_FORMAT, net->initial[p]);
    }
    g_string_append(text, " |");
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        g_string_append_printf(text, "%s %s:", t ? ";" : "", net_transition_id(net, t));
        for (ArcKind kind = ARC_PRE; kind <= ARC_POST; kind++) {
            NetRow row = net_places(net, kind, t);
            if (kind == ARC_POST) g_string_append(text, " ->");
            for (uint32_t i = 0; i < row.len; i++) {
                g_string_append_c(text, ' ');
                if (net_weight(row, i) != 1) g_string_append_printf(text, "%" G_GUINT64_FORMAT "*", net_weight(row, i));
                g_string_append(text, net_place_id(net, row.node[i]));
            }
        }
    }
    return g_string_free(text, FALSE);
}

/* Of a, b and c: a and b, and c alone. */
#define PARTED                                                                                                         \
    "<partition id='part' name='part'>" USE("abc") "<partitionelement id='ab' name='ab'>" OP("a") OP(                  \
        "b") "</partitionelement><partitionelement id='only' name='only'>" OP("c") "</partitionelement></partition>"
#define BLOCK(colour) "<partitionelementof refpartition='part'>" ST(colour) "</partitionelementof>"
#define MANY(op, subterms) "<" op ">" subterms "</" op ">"
#define CALL(operator, arguments) "<useroperator declaration='" operator"'>" arguments "</useroperator>"

static const struct {
    const char *text, *expected;
} constructs[] = {
    /* dot; an arc without inscription; a transition that can never fire is not made */
    {NET(DECLARE(SORT("d", "<dot/>")) PLACE("p", "d", TIMES(3, DOT)) EMPTY_PLACE("q", "d") TRANSITION("t")
             TRANSITION("u") ARC("p", "t", TIMES(2, DOT)) "<arc source='q' target='u'/>"),
     "p=3 | t: 2*p ->"},
    /* all, a variable, successor goes round */
    {NET(DECLARE(ABC) PLACE("p", "abc", ALL("abc")) EMPTY_PLACE("q", "abc") TRANSITION("t") ARC("p", "t", VAR("x"))
             ARC("t", "q", ONE("successor", VAR("x")))),
     "p(a)=1 p(b)=1 p(c)=1 q(a) q(b) q(c) | t(x = a): p(a) -> q(b); t(x = b): p(b) -> q(c); t(x = c): p(c) -> q(a)"},
    /* predecessor on the input side binds */
    {NET(DECLARE(ABC) PLACE("p", "abc", OP("c")) EMPTY_PLACE("q", "abc") TRANSITION("t")
             ARC("p", "t", ONE("predecessor", VAR("x"))) ARC("t", "q", VAR("x"))),
     "p(c)=1 q(a) | t(x = a): p(c) -> q(a)"},
    /* numberof, add, declarations after their use */
    {NET(PLACE("p", "abc", TWO("add", TIMES(2, OP("a")), OP("b"))) TRANSITION("t")
             ARC("p", "t", TWO("add", TIMES(2, VAR("x")), VAR("y"))) DECLARE(ABC)),
     "p(a)=2 p(b)=1 | t(x = a, y = a): 3*p(a) ->; t(x = a, y = b): 2*p(a) p(b) ->; t(x = b, y = a): p(a) 2*p(b) ->; "
     "t(x = b, y = b): 3*p(b) ->"},
    /* subtract: all but x, never below 0 */
    {NET(DECLARE(ABC) PLACE("p", "abc", OP("b")) EMPTY_PLACE("q", "abc") TRANSITION("t") ARC("p", "t", VAR("x"))
             ARC("t", "q", TWO("subtract", ALL("abc"), TIMES(2, VAR("x"))))),
     "p(b)=1 q(a) q(c) | t(x = b): p(b) -> q(a) q(c)"},
    /* subtract and all on input arcs */
    {NET(DECLARE(ABC) PLACE("p", "abc", TWO("add", OP("a"), OP("b"))) TRANSITION("t") TRANSITION("u")
             ARC("p", "t", TWO("subtract", ALL("abc"), VAR("x"))) ARC("p", "u", ALL("abc"))),
     "p(a)=1 p(b)=1 | t(x = c): p(a) p(b) ->"},
    /* tuples, products, all inside a tuple */
    {NET(DECLARE(ABC SORT("n", RANGE(7, 8)) SORT("pair", PRODUCT(USE("abc") USE("n"))))
             PLACE("p", "pair", TWO("tuple", OP("b"), ALL("n"))) EMPTY_PLACE("q", "abc") TRANSITION("t")
                 ARC("p", "t", TWO("tuple", VAR("x"), INT(8, 7, 8))) ARC("t", "q", VAR("x"))),
     "p(b,7)=1 p(b,8)=1 q(b) | t(x = b): p(b,8) -> q(b)"},
    /* a variable of a product, a product of products is flat */
    {NET(DECLARE(ABC SORT("two", PRODUCT(USE("abc") USE("abc"))) SORT("three", PRODUCT(USE("two") USE("abc")))
                     VARIABLE("v", "two")) PLACE("p", "two", TWO("tuple", OP("a"), OP("c"))) EMPTY_PLACE("q", "three")
             TRANSITION("t") ARC("p", "t", VAR("v")) ARC("t", "q", TWO("tuple", VAR("v"), OP("b")))),
     "p(a,c)=1 q(a,c,b) | t(v = <a,c>): p(a,c) -> q(a,c,b)"},
    /* a tuple of sums is the sum of all combinations */
    {NET(DECLARE(ABC SORT("two", PRODUCT(USE("abc") USE("abc"))))
             PLACE("p", "two", TWO("tuple", TWO("add", OP("a"), TIMES(2, OP("b"))), TWO("add", OP("c"), OP("a"))))),
     "p(a,a)=1 p(a,c)=1 p(b,a)=2 p(b,c)=2 |"},
    /* guards: equality binds, inequality and order test */
    {NET(DECLARE(ABC) PLACE("p", "abc", ALL("abc")) EMPTY_PLACE("q", "abc") GUARDED(
         "t", TWO("and", TWO("equality", VAR("y"), ONE("successor", VAR("x"))), TWO("inequality", VAR("x"), OP("b"))))
             ARC("p", "t", VAR("x")) ARC("t", "q", VAR("y"))),
     "p(a)=1 p(b)=1 p(c)=1 q(a) q(b) | t(x = a, y = b): p(a) -> q(b); t(x = c, y = a): p(c) -> q(a)"},
    {NET(DECLARE(ABC) PLACE("p", "abc", ALL("abc")) GUARDED("t", TWO("lessthan", VAR("x"), OP("b")))
             GUARDED("u", TWO("lessthanorequal", VAR("x"), OP("b"))) GUARDED("v", TWO("greaterthan", VAR("x"), OP("b")))
                 GUARDED("w", TWO("greaterthanorequal", VAR("x"), OP("b"))) ARC("p", "t", VAR("x"))
                     ARC("p", "u", VAR("x")) ARC("p", "v", VAR("x")) ARC("p", "w", VAR("x"))),
     "p(a)=1 p(b)=1 p(c)=1 | t(x = a): p(a) ->; u(x = a): p(a) ->; u(x = b): p(b) ->; v(x = c): p(c) ->; "
     "w(x = b): p(b) ->; w(x = c): p(c) ->"},
    {NET(DECLARE(ABC) PLACE("p", "abc", ALL("abc")) GUARDED(
         "t", TWO("or", TWO("equality", VAR("x"), OP("a")),
                  ONE("not", TWO("or", TWO("equality", VAR("x"), OP("a")), TWO("equality", VAR("x"), OP("b"))))))
             GUARDED("u", TWO("imply", TWO("inequality", VAR("x"), OP("b")), "<booleanconstant value='false'/>"))
                 ARC("p", "t", VAR("x")) ARC("p", "u", VAR("x"))),
     "p(a)=1 p(b)=1 p(c)=1 | t(x = a): p(a) ->; t(x = c): p(c) ->; u(x = b): p(b) ->"},
    /* equality of tuples binds leaf by leaf */
    {NET(DECLARE(ABC SORT("two", PRODUCT(USE("abc") USE("abc"))) VARIABLE("v", "two")) EMPTY_PLACE("p", "two")
             GUARDED("t", TWO("equality", VAR("v"), TWO("tuple", OP("c"), OP("a")))) ARC("t", "p", VAR("v"))),
     "p(c,a) | t(v = <c,a>): -> p(c,a)"},
    /* ranges of different ends are compared by their numbers */
    {NET(DECLARE(SORT("n", RANGE(2, 4)) VARIABLE("i", "n")) PLACE("p", "n", ALL("n"))
             GUARDED("t", TWO("greaterthan", VAR("i"), INT(3, 0, 9))) ARC("p", "t", VAR("i"))),
     "p(2)=1 p(3)=1 p(4)=1 | t(i = 4): p(4) ->"},
    /* partitions: blocks as colours, blocks of colours, a block among colours is the sum of them */
    {NET(DECLARE(ABC PARTED) PLACE("p", "abc", TWO("add", OP("ab"), OP("c"))) EMPTY_PLACE("q", "part")
             GUARDED("t", TWO("equality", BLOCK(VAR("x")), OP("ab"))) ARC("p", "t", VAR("x"))
                 ARC("t", "q", BLOCK(VAR("x"))) GUARDED("u", TWO("gtp", OP("only"), OP("ab"))) ARC("q", "u", OP("ab"))),
     "p(a)=1 p(b)=1 p(c)=1 q(ab) | t(x = a): p(a) -> q(ab); t(x = b): p(b) -> q(ab); u: q(ab) ->"},
    /* the order of blocks */
    {NET(DECLARE(ABC PARTED) PLACE("p", "abc", ALL("abc")) GUARDED("t", TWO("ltp", BLOCK(VAR("x")), OP("only")))
             ARC("p", "t", VAR("x"))),
     "p(a)=1 p(b)=1 p(c)=1 | t(x = a): p(a) ->; t(x = b): p(b) ->"},
    /* operators with a definition */
    {NET(DECLARE(ABC "<namedoperator id='twice' name='twice'><parameter>" VARIABLE("z", "abc") "</parameter><def>" ONE(
         "successor", ONE("successor", VAR("z"))) "</def></namedoperator>") PLACE("p", "abc", OP("a"))
             EMPTY_PLACE("q", "abc") TRANSITION("t") ARC("p", "t", VAR("x"))
                 ARC("t", "q", "<useroperator declaration='twice'>" ST(VAR("x")) "</useroperator>")),
     "p(a)=1 q(c) | t(x = a): p(a) -> q(c)"},
    /* references across pages, ids that look like colours */
    {NET("<page id='one'>" PLACE("p", "dot", DOT)
             TRANSITION("t(a)") "</page><page id='two'>"
                                "<referencePlace id='r' ref='p'/><referenceTransition id='s' ref='t(a)'/>" ARC(
                                    "r", "s", DOT) "</page>"),
     "p=1 | t(a)(): p ->"},
    /* names that would be read in two ways */
    {NET(DECLARE(SORT("odd", FINITE("<feconstant id='i' name='a,b'/><feconstant id='j' name='(=)'/>")))
             PLACE("p", "odd", ALL("odd"))),
     "p(a%2Cb)=1 p(%28%3D%29)=1 |"},
    /* two colours of one name go by their ids, and so do two variables */
    {NET(DECLARE(SORT(
         "same",
         FINITE("<feconstant id='i' name='k'/><feconstant id='j' name='k'/>")) "<variabledecl id='v1' "
                                                                               "name='v'>" USE(
                                                                                   "same") "</"
                                                                                           "variabledec"
                                                                                           "l><"
                                                                                           "variabledec"
                                                                                           "l id='v2' "
                                                                                           "name='v'"
                                                                                           ">" USE(
                                                                                               "sam"
                                                                                               "e") "</variabledecl>")
             PLACE("p", "same", OP("j")) TRANSITION("t") ARC("p", "t", TWO("add", VAR("v1"), VAR("v2")))),
     "p(j)=1 | t(v1 = j, v2 = j): 2*p(j) ->"},
    /* colours appear one after the other, each binding once */
    {NET(DECLARE(ABC) PLACE("p", "abc", OP("b")) TRANSITION("t") ARC("p", "t", VAR("x"))
             ARC("t", "p", ONE("successor", VAR("x")))),
     "p(a) p(b)=1 p(c) | t(x = a): p(a) -> p(b); t(x = b): p(b) -> p(c); t(x = c): p(c) -> p(a)"},
    /* a subtraction inside another one, on both of its sides: 2 of each less c, less b */
    {NET(DECLARE(ABC) PLACE("p", "abc",
                            TWO("subtract", TWO("add", ALL("abc"), TWO("subtract", ALL("abc"), OP("c"))),
                                TWO("subtract", TWO("add", OP("b"), OP("c")), OP("c")))) TRANSITION("t")
             ARC("p", "t", TWO("subtract", TIMES(2, OP("a")), TWO("subtract", ALL("abc"), VAR("x"))))),
     "p(a)=2 p(b)=1 p(c)=1 | t(x = a): 2*p(a) ->; t(x = b): p(a) ->; t(x = c): p(a) ->"},
    /* one item in it, and none */
    {NET(DECLARE(ABC) PLACE(
         "p", "abc",
         TWO("subtract", ONE("add", TWO("subtract", OP("a"), TIMES(0, OP("a")))), "<empty>" USE("abc") "</empty>"))
             PLACE("q", "abc",
                   TWO("subtract", TIMES(0, OP("a")), TWO("subtract", TIMES(0, OP("b")), TIMES(0, OP("c")))))),
     "p(a)=1 |"},
    /* a subtraction and sums of sums inside tuples */
    {NET(DECLARE(ABC SORT("two", PRODUCT(USE("abc") USE("abc"))) SORT("three", PRODUCT(USE("two") USE("abc"))))
             PLACE("p", "two", TWO("tuple", TWO("subtract", ALL("abc"), OP("b")), TIMES(2, TIMES(2, OP("c")))))
                 PLACE("q", "three", TWO("tuple", TWO("tuple", OP("a"), TWO("add", OP("a"), OP("b"))), OP("c")))
                     TRANSITION("t") ARC("p", "t", TWO("tuple", TWO("subtract", ALL("abc"), VAR("x")), OP("c")))),
     "p(a,c)=4 p(c,c)=4 q(a,a,c)=1 q(a,b,c)=1 | t(x = b): p(a,c) p(c,c) ->"},
    /* labels that say nothing; the range of a constant by its name; TAPAAL's word for one dot */
    {NET(DECLARE(SORT("n", RANGE(3, 5))) "<place id='q'><type><structure>" USE(
         "n") "</structure></type><hlinitialMarking><text> </text><structure/></hlinitialMarking></place>"
              "<transition id='t'><condition><structure/></condition></transition>" PLACE("p", "dot", OP("dot"))
                  ARC("p", "t", OP("dot"))
                      ARC("t", "q", "<finiteintrangeconstant value='4'>" USE("n") "</finiteintrangeconstant>")),
     "q(4) p=1 | t: p -> q(4)"},
    /* a high-level net that has no more than a symmetric one */
    {"<pnml><net id='n' type='x/highlevelnet'>" PLACE("p", "dot", DOT) "</net></pnml>", "p=1 |"},
    /* the block after a block; the block of the colour before; no move is left over for the next part of a tuple */
    {NET(DECLARE(ABC PARTED SORT("both", PRODUCT(USE("abc") USE("abc"))))
             PLACE("p", "abc", TWO("add", OP("a"), OP("b"))) EMPTY_PLACE("q", "part") EMPTY_PLACE("r", "part")
                 EMPTY_PLACE("s", "both") TRANSITION("t") ARC("p", "t", VAR("x"))
                     ARC("t", "q", ONE("successor", BLOCK(VAR("x")))) ARC("t", "r", BLOCK(ONE("predecessor", VAR("x"))))
                         ARC("t", "s", TWO("tuple", ONE("successor", VAR("x")), VAR("x")))),
     "p(a)=1 p(b)=1 q(only) r(ab) r(only) s(b,a) s(c,b) | t(x = a): p(a) -> q(only) r(only) s(b,a); "
     "t(x = b): p(b) -> q(only) r(ab) s(c,b)"},
    /* a variable goes by its name */
    {NET(DECLARE(ABC "<variabledecl id='v1' name='shown'>" USE("abc") "</variabledecl>") PLACE("p", "abc", OP("c"))
             TRANSITION("t") ARC("p", "t", VAR("v1"))),
     "p(c)=1 | t(shown = c): p(c) ->"},
    /* a partition of a range; no block is larger than itself */
    {NET(DECLARE(SORT("n", RANGE(-1, 1))
                     VARIABLE("i", "n") "<partition id='part' name='part'>" USE("n") "<partitionelement id='low'>" INT(
                         -1, -1, 1) "</partitionelement><partitionelement id='high'>" INT(1, -1, 1)
                         INT(0, -1, 1) "</partitionelement></partition>") PLACE("p", "n", ALL("n"))
             GUARDED("t", TWO("gtp", BLOCK(VAR("i")), OP("low"))) ARC("p", "t", VAR("i"))
                 GUARDED("u", TWO("ltp", BLOCK(VAR("i")), OP("high"))) ARC("p", "u", VAR("i"))),
     "p(-1)=1 p(0)=1 p(1)=1 | t(i = 0): p(0) ->; t(i = 1): p(1) ->; u(i = -1): p(-1) ->"},
    /* one, two and three of what may be any number */
    {NET(DECLARE(ABC SORT("three", PRODUCT(USE("abc") USE("abc") USE("abc")))) PLACE(
         "p", "abc", MANY("add", ST(OP("a")) ST(OP("b")) ST(TIMES(2, OP("c")))))
             PLACE("q", "three", MANY("tuple", ST(OP("a")) ST(OP("b")) ST(OP("c")))) PLACE(
                 "r", "abc", MANY("subtract", ST(ALL("abc")) ST(OP("a")) ST(OP("c"))))
                 PLACE("s", "abc", ONE("tuple", ONE("add", OP("b")))) GUARDED(
                     "t", MANY("and", ST(TWO("inequality", VAR("x"), OP("a"))) ST(TWO("inequality", VAR("x"), OP("b")))
                                          ST(ONE("or", ONE("and", "<booleanconstant value='true'/>")))))
                     ARC("p", "t", VAR("x"))
                         GUARDED("u", ONE("or", MANY("and", ST(TWO("inequality", VAR("x"), OP("c")))
                                                                ST(TWO("inequality", VAR("x"), OP("a")))
                                                                    ST(TWO("equality", OP("a"), OP("a"))))))
                             ARC("p", "u", VAR("x"))),
     "p(a)=1 p(b)=1 p(c)=2 q(a,b,c)=1 r(b)=1 s(b)=1 | t(x = c): p(c) ->; u(x = b): p(b) ->"},
    {NET(DECLARE(ABC) PLACE("p", "abc", TWO("scalarproduct", NUMBER(2), ALL("abc")))
             GUARDED("t", MANY("or", ST(TWO("equality", VAR("x"), OP("a"))) ST("<booleanconstant value='false'/>")
                                         ST(TWO("equality", VAR("x"), OP("c"))))) ARC("p", "t", VAR("x"))),
     "p(a)=2 p(b)=2 p(c)=2 | t(x = a): p(a) ->; t(x = c): p(c) ->"},
    /* arguments are those of the call, whatever the names inside: f(x, y) = (next of y, x), f(next of x, f's own) */
    {NET(DECLARE(ABC SORT("both", PRODUCT(USE("abc") USE("abc"))) OPERATOR("g", "", OP("b")) OPERATOR(
         "f", VARIABLE("x", "abc") VARIABLE("z", "abc"), TWO("tuple", ONE("successor", VAR("z")), VAR("x")))
                     OPERATOR("h", VARIABLE("z", "abc") "</parameter><parameter>" VARIABLE("x", "abc"),
                              CALL("f", ST(ONE("successor", VAR("x"))) ST(VAR("z")))))
             PLACE("p", "both", CALL("f", ST(ONE("successor", OP("a"))) ST(OP("g")))) PLACE("q", "abc", OP("b"))
                 EMPTY_PLACE("r", "both") TRANSITION("t") ARC("q", "t", VAR("x"))
                     ARC("t", "r", CALL("h", ST(VAR("x")) ST(ONE("successor", ONE("successor", VAR("x"))))))),
     "p(c,b)=1 q(b)=1 r(c,b) | t(x = b): q(b) -> r(c,b)"},
    /* what is not so implies anything */
    {NET(DECLARE(ABC) PLACE("p", "abc", ALL("abc"))
             GUARDED("t", TWO("imply", TWO("equality", VAR("x"), OP("a")), TWO("inequality", VAR("x"), OP("c"))))
                 ARC("p", "t", VAR("x"))),
     "p(a)=1 p(b)=1 p(c)=1 | t(x = a): p(a) ->; t(x = b): p(b) ->; t(x = c): p(c) ->"},
    /* a variable twice in one token */
    {NET(DECLARE(ABC SORT("both", PRODUCT(USE("abc") USE("abc"))))
             PLACE("p", "both", TWO("add", TWO("tuple", OP("a"), OP("b")), TWO("tuple", OP("c"), OP("c"))))
                 TRANSITION("t") ARC("p", "t", TWO("tuple", VAR("x"), VAR("x"))) TRANSITION("u")
                     ARC("p", "u", TWO("tuple", VAR("x"), ONE("successor", VAR("x"))))),
     "p(a,b)=1 p(c,c)=1 | t(x = c): p(c,c) ->; u(x = a): p(a,b) ->"},
    /* a variable that only a guard has, and one that only an output has */
    {NET(DECLARE(ABC) PLACE("p", "dot", DOT) EMPTY_PLACE("q", "abc") GUARDED("t", TWO("lessthan", VAR("x"), OP("b")))
             ARC("p", "t", DOT) TRANSITION("u") ARC("p", "u", DOT) ARC("u", "q", VAR("y"))),
     "p=1 q(a) q(b) q(c) | t(x = a): p ->; u(y = a): p -> q(a); u(y = b): p -> q(b); u(y = c): p -> q(c)"},
    /* remarks of tools, with anything inside them, do not count; what is declared and not used costs nothing */
    {NET("<toolspecific tool='x' version='1'><page><place id='o'/></page></toolspecific>" DECLARE(SORT(
         "m", RANGE(0, 1000000000))) "<place "
                                     "id='p'><graphics><position><type/></position></"
                                     "graphics><type><graphics><a><structure/></a></graphics>"
                                     "<structure>" USE("dot") "</structure></type><hlinitialMarking><structure>" DOT
                                                              "</structure></hlinitialMarking>"
                                                              "</place>"),
     "p=1 |"},
    /* a variable named as another one is identified goes by its id */
    {NET(DECLARE(ABC "<variabledecl id='v1' name='v2'>" USE("abc") "</variabledecl><variabledecl id='v2' name='w'>" USE(
         "abc") "</variabledecl>") PLACE("p", "abc", OP("a")) PLACE("q", "abc", OP("b")) TRANSITION("t")
             ARC("p", "t", VAR("v1")) ARC("q", "t", VAR("v2"))),
     "p(a)=1 q(b)=1 | t(v1 = a, w = b): p(a) q(b) ->"},
    /* ranges with one end in common are others; their numbers are compared */
    {NET(DECLARE(SORT("n", RANGE(1, 2)) SORT("m", RANGE(1, 3)) SORT("o", RANGE(2, 3)) VARIABLE("i", "m")
                     VARIABLE("j", "o")) PLACE("p", "n", ALL("n")) PLACE("q", "m", ALL("m")) PLACE("r", "o", ALL("o"))
             GUARDED("t", TWO("equality", VAR("i"), VAR("j"))) ARC("q", "t", VAR("i")) ARC("r", "t", VAR("j"))),
     "p(1)=1 p(2)=1 q(1)=1 q(2)=1 q(3)=1 r(2)=1 r(3)=1 | t(i = 2, j = 2): q(2) r(2) ->; t(i = 3, j = 3): q(3) r(3) ->"},
    /* a block in a tuple is a colour where the place has blocks there */
    {NET(DECLARE(ABC PARTED SORT("both", PRODUCT(USE("part") USE("abc"))) SORT("two", PRODUCT(USE("abc") USE("abc"))))
             PLACE("p", "both", TWO("tuple", OP("ab"), OP("c"))) PLACE("q", "two", TWO("tuple", OP("ab"), OP("ab")))),
     "p(ab,c)=1 q(a,a)=1 q(a,b)=1 q(b,a)=1 q(b,b)=1 |"},
    /* nothing times a colour is nothing, but its variable is one of the transition */
    {NET(DECLARE(ABC) PLACE("p", "dot", DOT) EMPTY_PLACE("q", "abc") TRANSITION("t") ARC("p", "t", DOT)
             ARC("t", "q", TWO("add", TIMES(0, VAR("x")), "<empty>" USE("abc") "</empty>"))),
     "p=1 | t(x = a): p ->; t(x = b): p ->; t(x = c): p ->"},
};

static ColourNet *read_text(const char *text)
{
    g_autoptr(Input) input = input_bytes(text, strlen(text), "f", NULL);
    Net *plain = NULL;
    ColourNet *net = NULL;
    ck_assert(colour_read(input, NULL, &plain, &net, NULL) && net);
    return net;
}

/* As the checker expands it. */
static Net *expand_by_definition(const char *text)
{
    g_autoptr(ColourNet) net = read_text(text);
    return coloured_net_expand(net, NULL);
}

START_TEST(test_constructs)
{
    for (size_t i = 0; i < G_N_ELEMENTS(constructs); i++) {
        GError *error = NULL;
        g_autoptr(Net) net = open_text(constructs[i].text, NULL, &error);
        ck_assert_msg(net != NULL, "%zu: %s", i, error ? error->message : "");
        g_autofree char *found = describe(net);
        ck_assert_msg(strcmp(found, constructs[i].expected) == 0, "%zu: %s\nexpected: %s", i, found,
                      constructs[i].expected);
        g_autoptr(Net) naive = expand_by_definition(constructs[i].text);
        g_autofree char *same = describe(naive);
        ck_assert_msg(strcmp(same, constructs[i].expected) == 0, "%zu, the checker: %s", i, same);
    }
}
END_TEST

/* ---- would it be noticed? ---- */

/* Elements that may stand for each other. */
static const char *const exchangeable[][9] = {
    {"successor", "predecessor"},
    {"add", "subtract"},
    {"and", "or", "imply"},
    {"equality", "inequality", "lessthan", "lessthanorequal", "greaterthan", "greaterthanorequal"},
    {"ltp", "gtp"},
    {"all", "empty"},
};

static char *replace(const char *text, const char *from, const char *to)
{
    g_auto(GStrv) parts = g_strsplit(text, from, -1);
    return g_strjoinv(to, parts);
}

/* Some construct comes out as something else, or is refused, when one element is read as another. */
static bool is_noticed(const char *from, const char *to)
{
    g_autofree char *begin = g_strdup_printf("<%s>", from), *end = g_strdup_printf("</%s>", from);
    g_autofree char *other_begin = g_strdup_printf("<%s>", to), *other_end = g_strdup_printf("</%s>", to);
    for (size_t i = 0; i < G_N_ELEMENTS(constructs); i++) {
        if (!strstr(constructs[i].text, begin)) continue;
        g_autofree char *half = replace(constructs[i].text, begin, other_begin), *text = replace(half, end, other_end);
        g_autoptr(Net) net = open_text(text, NULL, NULL);
        g_autofree char *found = net ? describe(net) : NULL;
        if (!found || strcmp(found, constructs[i].expected) != 0) return true;
    }
    return false;
}

START_TEST(test_exchanged)
{
    for (size_t i = 0; i < G_N_ELEMENTS(exchangeable); i++)
        for (const char *const *from = exchangeable[i]; *from; from++)
            for (const char *const *to = exchangeable[i]; *to; to++)
                ck_assert_msg(from == to || is_noticed(*from, *to), "<%s> may be read as <%s>", *from, *to);
}
END_TEST

#define IN_MARKING(term) NET(DECLARE(ABC) PLACE("p", "abc", term))
#define IN_GUARD(term) NET(DECLARE(ABC) GUARDED("t", term))

static const struct {
    const char *text, *message;
} faults[] = {
    {NET(DECLARE(SORT("s", USE("nowhere")))), "there is no sort \"nowhere\""},
    {NET(DECLARE(SORT("s", USE("s")))), "made of itself"},
    {NET(DECLARE(SORT("s", PRODUCT(USE("r"))) SORT("r", PRODUCT(USE("dot") USE("s"))))), "made of itself"},
    {NET(DECLARE(SORT("s", "<dot/>") SORT("s", "<dot/>"))), "\"s\" is declared twice"},
    {NET(DECLARE(SORT("s", RANGE(0, 1000000000000000000)))), "the range 0..1000000000000000000 has more than 2^32 - 2"},
    {NET(DECLARE(SORT("s", RANGE(5, 4)))), "the range 5..4 has no colours"},
    {NET(DECLARE(SORT("s", RANGE(0, 99999999999999999999)))), "does not fit 64 bits"},
    {NET(DECLARE(SORT("s", RANGE(0, x)))), "not an integer"},
    {NET(DECLARE(SORT("m", RANGE(1, 4000000000)) SORT("s", PRODUCT(USE("m") USE("m") USE("m"))))), "2^63 colours"},
    {NET(DECLARE(SORT("s", FINITE("")))), "it has no colours"},
    {NET(DECLARE(SORT("s", "<stringsort/>"))), "<stringsort> is not supported in coloured nets"},
    {NET(DECLARE("<arbitrarysort id='s'/>")), "<arbitrarysort> is not supported"},
    {"<pnml><net id='n' type='x/highlevelnet'>" DECLARE(SORT("s", "<string/>")) "</net></pnml>", "<string> is not"},
    {"<pnml><net id='n' type='x/ptnet'>" DECLARE(ABC) "</net></pnml>", "coloured nets have the type symmetricnet"},
    {IN_MARKING(VAR("x")), "cannot have variables"},
    {IN_MARKING(VAR("z")), "there is no variable \"z\""},
    {IN_MARKING(OP("d")), "there is no operator \"d\""},
    {IN_MARKING(DOT), "not of the sort of their place"},
    {IN_MARKING(TWO("tuple", OP("a"), OP("b"))), "not of the sort of their place"},
    {IN_MARKING(TWO("equality", OP("a"), OP("b"))), "tokens are expected"},
    {IN_MARKING(TWO("add", OP("a"), DOT)), "sorts of this term do not fit"},
    {IN_MARKING(TWO("numberof", "<numberconstant value='-1'/>", OP("a"))), "a natural number is expected"},
    {IN_MARKING(TWO("numberof", "<numberconstant value='99999999999999999999'/>", OP("a"))), "larger than 2^64 - 1"},
    {IN_MARKING(TIMES(10000000000, TIMES(10000000000, OP("a")))), "2^64 - 1 times"},
    {IN_MARKING("<concatenation/>"), "<concatenation> is not supported"},
    {IN_MARKING("<subtract>" ST(OP("a")) "</subtract>"), "<subtract> has 1 terms inside; at least 2"},
    {IN_MARKING(OP("a") OP("b")), "a second <useroperator>"},
    {NET(DECLARE(ABC) "<place id='p'><type>" USE("abc") "</type></place>"), "no <type>"},
    {NET("<transition id='t'><condition><text>x = y</text></condition></transition>"), "no <structure> with a term"},
    {NET("<transition id='t'><condition><text>x = y</text><structure/></condition></transition>"), "no <structure>"},
    {IN_MARKING("<finiteintrangeconstant value='1'>" USE("abc") "</finiteintrangeconstant>"), "<finiteintrange> is"},
    {IN_MARKING("<finiteintrangeconstant value='9'>" RANGE(0, 8) "</finiteintrangeconstant>"), "not in its range"},
    {IN_MARKING("<numberof/>"), "a number and a term"},
    {IN_MARKING("<numberof>" ST(OP("a")) ST(OP("b")) "</numberof>"), "a number and a term"},
    {IN_MARKING("<add><subterm/></add>"), "a <subterm> holds 0 terms"},
    {IN_MARKING("<add><subterm>" OP("a") OP("b") "</subterm></add>"), "a <subterm> holds 2 terms"},
    {IN_MARKING("<all/>"), "one sort is expected"},
    {IN_MARKING("<partitionelementof refpartition='abc'>" ST(OP("a")) "</partitionelementof>"), "do not fit"},
    {IN_MARKING("<partitionelementof refpartition='no'>" ST(OP("a")) "</partitionelementof>"), "no partition"},
    {NET(DECLARE(ABC PARTED) EMPTY_PLACE("p", "part") GUARDED("t", TWO("equality", BLOCK(OP("ab")), OP("ab")))),
     "not fit"},
    {IN_GUARD("<booleanconstant value='perhaps'/>"), "true or false is expected"},
    {NET(DECLARE(ABC "<namedoperator id='f'><parameter>" VARIABLE("z", "abc") "</parameter><def>" VAR(
         "z") "</def></namedoperator>") PLACE("p", "abc", CALL("f", ST(OP("a")) ST(OP("b"))))),
     "another number of arguments"},
    {NET(DECLARE(SORT("s", FINITE(CONSTANT("a"))) SORT("r", FINITE(CONSTANT("a")))) PLACE("p", "s", OP("a"))),
     "\"a\" is declared twice"},
    {NET(DECLARE(VARIABLE("v", "dot") VARIABLE("v", "dot"))), "\"v\" is declared twice"},
    {NET(DECLARE(SORT("m", RANGE(0, 4294967295)))), "more than 2^32 - 2"},
    {NET("<place/>"), "this place has no id"},
    {NET("<transition id=''/>"), "this transition has no id"},
    {NET("<referencePlace id='r'/>"), "no attribute ref"},
    {NET("<arc target='p'/>"), "this arc has no source"},
    {NET("<arc source='p'/>"), "this arc has no target"},
    {NET(PLACE("p", "dot", DOT "</structure></hlinitialMarking><hlinitialMarking><structure>" DOT)), "a second label"},
    {IN_GUARD(OP("a")), "a condition that is true or false"},
    {IN_GUARD(TWO("equality", VAR("x"), DOT)), "do not fit"},
    {IN_GUARD(TWO("lessthan", TWO("tuple", VAR("x"), VAR("y")), TWO("tuple", VAR("x"), VAR("y")))), "do not fit"},
    {IN_GUARD(TWO("and", VAR("x"), VAR("y"))), "do not fit"},
    {NET(DECLARE("<namedoperator id='f' name='f'><parameter/><def>" OP("f") "</def></namedoperator>")
             PLACE("p", "dot", OP("f"))),
     "define each other"},
    {NET("<place id='p'/>"), "this place has no <type>"},
    {NET(EMPTY_PLACE("p", "dot") EMPTY_PLACE("p", "dot")), "the id \"p\" is taken"},
    {NET(EMPTY_PLACE("p", "dot") "<arc source='p' target='q'/>"), "no place or transition \"q\""},
    {NET(EMPTY_PLACE("p", "dot") "<arc source='p' target='p'/>"), "joins two places"},
    {NET(DECLARE(ABC) EMPTY_PLACE("p", "abc") TRANSITION("t") "<arc source='p' target='t'/>"), "no <hlinscription>"},
    {NET("<referencePlace id='r' ref='s'/><referencePlace id='s' ref='r'/>"), "circles"},
    {NET(TRANSITION("t") "<referencePlace id='r' ref='t'/>"), "leads to a transition"},
    {NET("<place id='p'><initialMarking/></place>"), "no <initialMarking>"},
    {NET("<arc source='p' target='t' type='inhibitor'/>"), "coloured inhibitor arcs are not supported"},
    {NET("<page id='g'><net id='m'/></page>"), "a net inside a page (a subprocess) is not supported"},
    {NET("<place id='p'><capacity/></place>"), "places with a capacity are not supported"},
    {NET("<transition id='t'><guard/></transition>"), "guards of coloured nets stand in <condition>"},
    {NET("<transition id='t'><priority/></transition>"), "priorities of coloured transitions are not supported"},
    {NET("<transition id='t'><delay/></transition>"), "delays of transitions (timed nets) are not supported"},
    {NET("<transition id='t'><time/></transition>"), "times of transitions (timed nets) are not supported"},
    {NET("<transition id='t'><interval/></transition>"), "time intervals of transitions (timed nets) are not"},
    {NET("<arc source='p' target='t'><inscription/></arc>"), "an arc of a coloured net has an <hlinscription>"},
    {NET("<arc source='p' target='t'><arctype/></arc>"), "coloured arcs of another type than normal are not supported"},
    {NET("<arc source='p' target='t'><type/></arc>"), "coloured arcs of another type than normal are not supported"},
    {NET("<arc source='p' target='t'><inhibitor/></arc>"), "coloured inhibitor arcs are not supported"},
    {NET(DECLARE(SORT("n", RANGE(3, 4)) "<partition id='q'>" USE("n") "<partitionelement id='e'>" INT(3, 3, 5)
                     INT(5, 3, 5) "</partitionelement></partition>")),
     "the range that is cut up does not hold it"},
    {NET(DECLARE(ABC SORT("z", FINITE(CONSTANT("k"))) "<partition id='q'>" USE("z") "<partitionelement id='e'>" OP(
         "a") "</partitionelement></partition>")),
     "no colour of the sort that is cut up"},
    {NET(DECLARE(ABC "<partition id='q'>" USE("abc") "<partitionelement id='e'>" OP("a") OP("b")
                     OP("a") "</partitionelement></partition>")),
     "it is in two blocks"},
    {NET(DECLARE(
         ABC "<partition id='q'>" USE("abc") "<partitionelement id='e'>" OP("a") "</partitionelement></partition>")),
     "in no block"},
};

START_TEST(test_faults)
{
    for (size_t i = 0; i < G_N_ELEMENTS(faults); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(Net) net = open_text(faults[i].text, NULL, &error);
        ck_assert_msg(net == NULL, "%zu (%s) was read", i, faults[i].message);
        ck_assert_msg(strstr(error->message, faults[i].message) != NULL, "%zu: %s", i, error->message);
        ck_assert_msg(g_str_has_prefix(error->message, "f:1:"), "%zu has no position: %s", i, error->message);
    }
}
END_TEST

/* Terms nest as deep as PNML may, operators deeper; sorts name each other in a long row. */
START_TEST(test_deep)
{
    GString *text = g_string_new("<pnml><net id='n' type='x/symmetricnet'><declaration><structure><declarations>" ABC);
    enum { LENGTH = 20000 };
    for (int i = 0; i < LENGTH; i++)
        g_string_append_printf(text, "<namedsort id='s%d'><usersort declaration='%s%.0d'/></namedsort>", i,
                               i + 1 < LENGTH ? "s" : "abc", i + 1 < LENGTH ? i + 1 : 0);
    for (int i = 0; i < LENGTH; i++)
        g_string_append_printf(text,
                               "<namedoperator id='f%d'><def>%s<useroperator declaration='%s%.0d'/>%s</def>"
                               "</namedoperator>",
                               i, i % 2 ? "<successor>" : "", i + 1 < LENGTH ? "f" : "a", i + 1 < LENGTH ? i + 1 : 0,
                               i % 2 ? "</successor>" : "");
    g_string_append(text, "</declarations></structure></declaration>" PLACE("p", "s0", OP("f0")) "</net></pnml>");
    GError *error = NULL;
    g_autoptr(Net) net = open_text(text->str, NULL, &error);
    ck_assert_msg(net != NULL, "%s", error ? error->message : "");
    ck_assert_str_eq(net_place_id(net, 0), "p(b)"); /* 10000 times the next of a */
    g_string_free(text, TRUE);
}
END_TEST

/* Long sums in a tuple, long names. */
START_TEST(test_long)
{
    enum { SUMMANDS = 2049, NAME = 1000001 };
    GString *sum = g_string_new("<add>"), *name = g_string_new(NULL);
    for (int i = 0; i < SUMMANDS; i++) g_string_append(sum, ST(OP("a")));
    g_string_append(sum, "</add>");
    for (int i = 0; i < NAME; i++) g_string_append_c(name, 'n');
    char *const texts[] = {
        g_strdup_printf(
            NET(DECLARE(ABC SORT("two", PRODUCT(USE("abc") USE("abc")))) PLACE("p", "two", TWO("tuple", "%s", "%s"))),
            sum->str, sum->str),
        g_strdup_printf(NET("<place id='p'><name><text>%s</text></name></place>"), name->str),
    };
    static const char *const messages[] = {"more than 2^22 combinations", "longer than 1000000 bytes"};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_autoptr(GError) error = NULL;
        ck_assert_ptr_null(open_text(texts[i], NULL, &error));
        ck_assert_msg(strstr(error->message, messages[i]) != NULL, "%s", error->message);
        g_free(texts[i]);
    }
    g_string_free(sum, TRUE);
    g_string_free(name, TRUE);
}
END_TEST

/* Counts are exact before anything is subtracted from them too. */
START_TEST(test_numbers)
{
    static const char *const markings[] = {
        IN_MARKING(TWO("add", TIMES(18446744073709551615, OP("a")), OP("a"))),
        IN_MARKING(TWO("subtract", TWO("add", TIMES(18446744073709551615, OP("a")), OP("a")), OP("a"))),
        IN_MARKING(TWO("subtract", OP("a"), TWO("add", TIMES(18446744073709551615, OP("b")), OP("b")))),
        IN_MARKING(TWO("subtract", OP("a"),
                       TWO("subtract", TWO("add", TIMES(18446744073709551615, OP("b")), OP("b")), OP("a")))),
    };
    for (size_t i = 0; i < G_N_ELEMENTS(markings); i++) {
        g_autoptr(GError) error = NULL;
        ck_assert_ptr_null(open_text(markings[i], NULL, &error));
        ck_assert_msg(strstr(error->message, "more than 2^64 - 1 tokens of one colour") != NULL, "%s", error->message);
        g_autoptr(ColourNet) net = read_text(markings[i]);
        g_autoptr(Game) game = coloured_game_new(net);
        ck_assert_ptr_null(game);
        ck_assert_ptr_null(coloured_net_expand(net, NULL));
    }
}
END_TEST

/* A weight that cannot be counted is none, for the checker either; a firing that makes too many tokens changes nothing.
 */
START_TEST(test_numbers_of_arcs)
{
    static const char *const weights[] = {
        TWO("add", TIMES(18446744073709551615, VAR("x")), VAR("x")),
        TWO("subtract", TWO("add", TIMES(9223372036854775808, VAR("x")), TIMES(9223372036854775808, VAR("x"))),
            VAR("x")),
    };
    for (size_t i = 0; i < G_N_ELEMENTS(weights); i++) {
        g_autofree char *text = g_strdup_printf(
            NET(DECLARE(ABC) PLACE("p", "abc", OP("a")) TRANSITION("t") ARC("p", "t", VAR("x")) ARC("t", "p", "%s")),
            weights[i]);
        ck_assert_ptr_null(open_text(text, NULL, NULL));
        g_autoptr(ColourNet) net = read_text(text);
        ck_assert_ptr_null(coloured_net_expand(net, NULL));
    }
    static const char *const products[] = {
        IN_MARKING(TIMES(10000000000, TIMES(10000000000, OP("a")))),
        IN_MARKING(TIMES(10000000000, TWO("add", OP("b"), TIMES(10000000000, OP("a"))))),
        NET(DECLARE(ABC SORT("two", PRODUCT(USE("abc") USE("abc"))))
                PLACE("p", "two", TWO("tuple", TIMES(10000000000, OP("a")), TIMES(10000000000, OP("b"))))),
    };
    for (size_t i = 0; i < G_N_ELEMENTS(products); i++) {
        ck_assert_ptr_null(open_text(products[i], NULL, NULL));
        g_autoptr(ColourNet) other = read_text(products[i]);
        ck_assert_ptr_null(coloured_net_expand(other, NULL));
    }
    g_autoptr(ColourNet) net =
        read_text(NET(DECLARE(ABC) PLACE("p", "abc", TIMES(18446744073709551615, OP("a"))) EMPTY_PLACE("q", "abc")
                          TRANSITION("t") ARC("t", "q", VAR("x")) ARC("t", "p", VAR("x"))));
    g_autoptr(Game) game = coloured_game_new(net);
    uint64_t binding[] = {0, 0};
    ck_assert_int_eq(coloured_game_fire(game, 0, binding), GAME_NUMBERS);
    ck_assert(game->marking[0].len == 1 && game->marking[0].data[0].count == UINT64_MAX && !game->marking[1].len);
    binding[0] = 1;
    ck_assert_int_eq(coloured_game_fire(game, 0, binding), GAME_FIRED);
    ck_assert(game->marking[0].len == 2 && game->marking[1].len == 1);
}
END_TEST

/* A net that is too large ends with its sizes, not with a killed process. */
START_TEST(test_too_large)
{
    static const char text[] = NET(DECLARE(SORT("n", RANGE(1, 1000000)) SORT("m", PRODUCT(USE("n") USE("n") USE("n"))))
                                       PLACE("p", "m", ALL("m")));
    Budget budget = budget_new(TEST_PLENTY, UINT64_C(1) << 30, 0);
    g_autoptr(GError) error = NULL;
    g_autoptr(Net) net = open_text(text, &budget, &error);
    ck_assert(!net && g_error_matches(error, MAZURKA_ERROR, ERROR_SPENT));
    ck_assert_msg(strstr(error->message, "too large to expand") != NULL, "%s", error->message);
}
END_TEST

/* Expands it in a process of its own; the most memory that this had. */
static uint64_t expand_within(const char *text, uint64_t limit, bool *done)
{
    fflush(NULL);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        Budget budget = budget_new(TEST_PLENTY, limit, 0);
        GError *error = NULL;
        Net *net = open_text(text, &budget, &error);
        _exit(net ? 0 : g_error_matches(error, MAZURKA_ERROR, ERROR_SPENT) ? 2 : 3);
    }
    int status;
    struct rusage used;
    ck_assert_int_eq(wait4(child, &status, 0, &used), child);
    ck_assert(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 2));
    *done = WEXITSTATUS(status) == 0;
    return (uint64_t)used.ru_maxrss * 1024;
}

/* A net that fits is expanded, whatever takes most of the memory: arcs, weights, bindings, names or places. One that
 * does not fit ends before the limit. */
START_TEST(test_memory)
{
    static const char *const texts[] = {
        NET(DECLARE(SORT("n", RANGE(1, 42)) VARIABLE("x", "n") VARIABLE("y", "n") VARIABLE("z", "n"))
                PLACE("p", "n", ALL("n")) EMPTY_PLACE("q", "n") TRANSITION("t") ARC("p", "t", VAR("x"))
                    ARC("t", "p", MANY("add", ST(VAR("x")) ST(VAR("y")) ST(VAR("z"))))
                        ARC("t", "q", TWO("subtract", ALL("n"), VAR("x")))),
        NET(DECLARE(SORT("n", RANGE(1, 65)) VARIABLE("of_a_very_long_name_and_longer", "n") VARIABLE("y", "n")
                        VARIABLE("z", "n")) EMPTY_PLACE("p", "n") TRANSITION("t")
                ARC("t", "p", MANY("add", ST(VAR("of_a_very_long_name_and_longer")) ST(VAR("y")) ST(VAR("z"))))),
        NET(DECLARE(SORT("n", RANGE(1, 700)) SORT("two", PRODUCT(USE("n") USE("n"))))
                PLACE("p", "two", TIMES(3, ALL("two")))),
    };
    enum { SLACK = 6 << 20 };
    for (size_t i = 0; i < G_N_ELEMENTS(texts) && !TEST_SANITIZED; i++) {
        bool done;
        uint64_t needed = expand_within(texts[i], 0, &done);
        ck_assert(done && needed > (UINT64_C(30) << 20));
        for (unsigned percent = 40; percent <= 110; percent += 35) {
            uint64_t limit = needed / 100 * percent, peak = expand_within(texts[i], limit, &done);
            ck_assert_msg(peak < limit + SLACK, "%zu, %u %%: %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT, i, percent,
                          peak, limit);
            ck_assert_msg(done == (percent > 100), "%zu, %u %% of %" G_GUINT64_FORMAT, i, percent, needed);
        }
    }
}
END_TEST

/* Which expanded node belongs to which coloured one. */
START_TEST(test_names)
{
    g_autoptr(Net) net = open_text(constructs[1].text, NULL, NULL);
    NetRange range;
    ck_assert(net->colours && net_colours_asked(net)->n_places == 2 && net_colours_asked(net)->n_transitions == 1);
    ck_assert(net_colours_named_places(net, "q", &range) && range.from == 3 && range.to == 6);
    ck_assert(net_colours_named_places(net, "q(b)", &range) && range.from == 4 && range.to == 5);
    ck_assert(net_colours_named_transitions(net, "t", &range) && range.from == 0 && range.to == 3);
    ck_assert(!net_colours_named_places(net, "t", &range) && !net_colours_named_transitions(net, "q", &range));
    g_autoptr(Net) empty = open_text(constructs[0].text, NULL, NULL);
    ck_assert(net_colours_named_places(empty, "q", &range) && range.from == range.to);
    ck_assert(net_colours_named_transitions(empty, "u", &range) && range.from == range.to);
}
END_TEST

/* Replay reads the name of a firing, all of it, and nothing else. */
START_TEST(test_names_read)
{
    static const char text[] =
        NET(DECLARE(ABC SORT("two", PRODUCT(USE("abc") USE("abc"))) VARIABLE("v", "two")) PLACE("p", "two", ALL("two"))
                TRANSITION("u") TRANSITION("u1") TRANSITION("t") ARC("p", "t", VAR("v")) TRANSITION("t1")
                    ARC("p", "t1", TWO("tuple", VAR("x"), VAR("y"))));
    static const char *const good[] = {"u", "u1", "t(v = <a,c>)", "t1(x = a, y = c)"};
    static const char *const bad[] = {
        "",
        "u(",
        "u()",
        "u2",
        "t",
        "t()",
        "t(v = <a,c)",
        "t(v = a,c)",
        "t(v = <a>)",
        "t(v = <a,c,a>)",
        "t(v = <a,c>>)",
        "t(v = <a,d>)",
        "t(v = <a,c>",
        "t(v = <a,c>))",
        "t(v = <a,c>, x = a)",
        "t(x = <a,c>)",
        "t1(x = a)",
        "t1(x = a> , y = c)",
        "t1(x = a>, y = c)",
        "t1(y = c, x = a)",
        "t1(x = a,y = c)",
        "t1(x = a, y = c) ",
    };
    g_autoptr(ColourNet) net = read_text(text);
    g_autoptr(Game) game = coloured_game_new(net);
    g_autofree uint64_t *binding = g_new0(uint64_t, net->variables.len + 1);
    uint32_t transition;
    for (size_t i = 0; i < G_N_ELEMENTS(good); i++) {
        ck_assert_msg(coloured_game_read_binding(game, good[i], &transition, binding) && transition == i, "%s",
                      good[i]);
        g_autoptr(GString) name = g_string_new(NULL);
        coloured_game_name_binding(game, transition, binding, name);
        ck_assert_str_eq(name->str, good[i]);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++)
        ck_assert_msg(!coloured_game_read_binding(game, bad[i], &transition, binding), "%s", bad[i]);
}
END_TEST

/* Without colours a net has arcs and tokens only where each binding takes and puts as many: others would be left out by
 * what is concluded from it. */
START_TEST(test_without_colours)
{
    static const struct {
        const char *text, *expected; /* NULL: none */
    } cases[] = {
        {NET(DECLARE(ABC) PLACE("p", "abc", TWO("add", ALL("abc"), OP("b"))) EMPTY_PLACE("q", "abc") TRANSITION("t")
                 ARC("p", "t", TWO("add", VAR("x"), TIMES(2, VAR("y"))))
                     ARC("t", "q", TWO("subtract", ALL("abc"), VAR("x")))),
         "p=4 q | t: 3*p -> 2*q"},
        /* nothing for the first binding, one token for others, and the other way round */
        {NET(DECLARE(ABC) PLACE("p", "abc", ALL("abc")) EMPTY_PLACE("q", "abc") TRANSITION("t") ARC("p", "t", VAR("x"))
                 ARC("t", "q", TWO("subtract", VAR("x"), OP("a")))),
         NULL},
        {NET(DECLARE(ABC) PLACE("p", "abc", ALL("abc")) EMPTY_PLACE("q", "abc") TRANSITION("t") ARC("p", "t", VAR("x"))
                 ARC("t", "q", TWO("subtract", VAR("x"), OP("c")))),
         NULL},
        /* the same of what is taken */
        {NET(DECLARE(ABC) PLACE("p", "abc", TIMES(2, ALL("abc"))) EMPTY_PLACE("q", "abc") TRANSITION("t")
                 ARC("p", "t", TWO("subtract", TIMES(2, VAR("x")), OP("b"))) ARC("t", "q", VAR("x"))),
         NULL},
        /* too many tokens of all colours */
        {NET(DECLARE(ABC) PLACE("p", "abc", TIMES(9223372036854775808, ALL("abc")))), NULL},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Net) net = open_text(cases[i].text, NULL, NULL);
        ck_assert(net && net->colours);
        ck_assert_msg(net->colours->counts == (cases[i].expected != NULL), "%zu", i);
        g_autofree char *found = describe(net->colours->coloured);
        ck_assert_msg(!cases[i].expected || strcmp(found, cases[i].expected) == 0, "%zu: %s", i, found);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("colour");
    TEST_CASE(suite, test_constructs);
    TEST_CASE(suite, test_exchanged);
    TEST_CASE(suite, test_faults);
    TEST_CASE(suite, test_deep);
    TEST_CASE(suite, test_long);
    TEST_CASE(suite, test_numbers);
    TEST_CASE(suite, test_numbers_of_arcs);
    TEST_CASE(suite, test_too_large);
    TEST_CASE(suite, test_memory);
    TEST_CASE(suite, test_names);
    TEST_CASE(suite, test_names_read);
    TEST_CASE(suite, test_without_colours);
    return test_run(suite);
}
