/* Certificates written by someone who wants mazurka-verify to say something false. Every goal here is reachable, so no
 * list of steps before a proof may be accepted; most are one condition short of a right one. */
#include "test.h"

#include "breadth.h"
#include "certify/apply.h"
#include "certify/certificate.h"
#include "certify/digest.h"
#include "net/builder.h"
#include "prop/expression.h"

#include <unistd.h>

/* Places "a1 b0" are a with one token and b. A transition is a list of arcs: "a-" takes, "a+2" adds two, "a?" reads,
 * "a!" inhibits. */
static Net *net_of(const char *places, const char *const *transitions)
{
    static const char signs[] = "-+?!";
    static const ArcKind kinds[] = {ARC_PRE, ARC_POST, ARC_READ, ARC_INHIBIT};
    g_autoptr(NetBuilder) b = net_builder_new("hand");
    g_auto(GStrv) words = g_strsplit(places, " ", -1);
    for (char **w = words; *w; w++) {
        char name[2] = {**w, 0};
        net_builder_place(b, name, NULL, g_ascii_strtoull(*w + 1, NULL, 10));
    }
    for (uint32_t t = 0; transitions[t]; t++) {
        char name[8];
        g_snprintf(name, sizeof name, "t%u", t);
        net_builder_transition(b, name, NULL);
        g_auto(GStrv) arcs = g_strsplit(transitions[t], " ", -1);
        for (char **a = arcs; *a && **a; a++) {
            uint32_t p = net_builder_find(b, *a, 1, NET_PLACE, NULL);
            const char *sign = strchr(signs, (*a)[1]);
            ck_assert_msg(p != NET_NONE && sign, "%s", *a);
            net_builder_arc(b, kinds[sign - signs], p, t, (*a)[2] ? g_ascii_strtoull(*a + 2, NULL, 10) : 1);
        }
    }
    return net_builder_finish(b, NULL);
}

typedef struct Attempt {
    const char *places, *transitions[6], *goal, *steps, *refusal;
} Attempt;

static const Attempt attempts[] = {
    /* constant */
    {"a1 b0",
     {"a- b+", "b- a+"},
     "b >= 1",
     "constant 0",
     "step 1 (constant 0): the place's count both rises and falls"},
    {"a1 b0", {"a- b+"}, "b >= 1", "constant 7", "it names a place that is not there"},
    {"a1 b0 c1",
     {"a- b+"},
     "b >= 1",
     "constant 2; constant 2",
     "step 2 (constant 2): it names a place that is not there"},
    {"a1 b0", {"a- b+"}, "b >= 1", "constant 0 1", "it lists the wrong number of nodes"},
    {"a1 b0", {"a- b+"}, "b >= 1", "constant", "it lists the wrong number of nodes"},
    /* siphon */
    {"a1 b0", {"a- b+"}, "b >= 1", "siphon 0", "a place of the siphon has tokens"},
    {"a1 b0 c0", {"a- b+", "b- c+"}, "c >= 1", "siphon 1", "a transition marks the siphon from outside"},
    {"a1 b0 c0", {"a? b+", "b- c+"}, "c >= 1", "siphon 1 2", "a transition marks the siphon from outside"},
    {"a0 b0", {"a+", "a- b+"}, "b >= 1", "siphon 0", "a transition marks the siphon from outside"},
    {"a0 b0 c0", {"b! a+", "a- c+"}, "c >= 1", "siphon 0 1", "a transition marks the siphon from outside"},
    /* forget */
    {"a1 b0", {"a- b+"}, "b >= 1", "forget 1", "the goal depends on a place"},
    {"a1 b0", {"a- b+"}, "fireable(t0)", "forget 0", "the goal depends on a place"},
    {"a1 b0 c1", {"a- b+ c!2"}, "!fireable(t0)", "forget 2", "the goal depends on a place"},
    {"a1 b0", {"a- b+"}, "deadlock", "forget 0", "a transition tests a place, and the goal speaks of deadlock"},
    {"a1 b0", {"a- b+", "b!"}, "deadlock", "forget 1", "a transition tests a place, and the goal speaks of deadlock"},
    {"a1 b1", {"a- b-"}, "a = 0", "same_place 0 1; forget 1", "step 2 (forget 1): the goal depends on a place"},
    {"a1 b1", {"a- b-"}, "a = 0", "same_place 0 1; forget 0", "it names a place that is not there"},
    {"a1 b0 c0", {"a- b+"}, "b >= 1", "forget 2 2", "a place is listed twice"},
    /* useless */
    {"a1 b0 c0", {"a- b+", "b- c+"}, "c >= 1", "useless 0", "a transition adds tokens"},
    {"a1", {"a-"}, "a = 0", "useless 0", "a transition changes a place that the goal depends on"},
    {"a1 b0", {"a-", "a! b+"}, "b >= 1", "useless 0", "a transition takes from a place at which one has a limit"},
    {"a1 b1",
     {"a-", "a? b- b+"},
     "deadlock",
     "useless 0",
     "a transition has an effect, and the goal speaks of deadlock"},
    {"a1 b0", {"a- b+", "b?"}, "b >= 1", "useless 1 1", "a transition is listed twice"},
    {"a1 b0", {"a- b+"}, "b >= 1", "useless 1", "it names a transition that is not there"},
    /* weaker */
    {"a1 b0", {"a- b+"}, "b >= 1", "weaker 0 0", "a transition is compared with itself"},
    {"a1 b0", {"a- b+", "a-"}, "b >= 1", "weaker 0 1", "the transitions have different effects"},
    {"a1 b0", {"a-", "a- b+"}, "a = 0 && b = 0", "weaker 0 1", "the transitions have different effects"},
    {"a1 b0 c0", {"a- b+", "a- c? b+"}, "b >= 1", "weaker 0 1", "the transition that stays asks for more"},
    {"a1 b0 c1", {"a- b+", "a- c! b+"}, "b >= 1", "weaker 0 1", "the transition that stays asks for more"},
    {"a1 b0 c1", {"a- c!2 b+", "a- c! b+"}, "b >= 1", "weaker 0 1", "the transition that stays asks for more"},
    {"a1 b0",
     {"a- b+", "a- b+"},
     "b >= 1",
     "weaker 0 1; weaker 1 0",
     "step 2 (weaker 1 0): it names a transition that is not there"},
    /* same_place */
    {"a1 b0", {"a- b+"}, "b >= 1", "same_place 0 0", "a place is compared with itself"},
    {"a1 b2 c0", {"a- b- c+"}, "c >= 1", "same_place 0 1", "the place has fewer tokens than the one that stays"},
    {"a2 b1 c0", {"a- b- c+", "a-"}, "c = 0 && a = 0", "same_place 0 1", "a transition changes the places differently"},
    {"a1 b0 c0", {"a? b+", "b- c+"}, "c >= 2", "same_place 0 2", "a transition changes the places differently"},
    /* fuse */
    {"a1 b0", {"a- b+", "b- a+"}, "b >= 1", "fuse 0 1", "the goal depends on a place"},
    {"a1 b1 c0", {"a- b+", "b- a+", "a! c+"}, "c >= 1", "fuse 0 1", "a transition has a limit at a place"},
    {"a1 b1", {"a?2"}, "deadlock", "fuse 0 1", "tokens are not free to leave a place, and the goal speaks of deadlock"},
    {"a1 b1 c0", {"a- b+ c?", "b- a+ c?", "a?2"}, "deadlock", "fuse 0 1", "tokens are not free to leave"},
    {"a1 b1 c1", {"a- b+ c!", "b- a+ c!", "a?2"}, "deadlock", "fuse 0 1", "tokens are not free to leave"},
    {"a1 b1", {"a-2 b+2", "b-2 a+2", "a?2"}, "deadlock", "fuse 0 1", "tokens are not free to leave"},
    {"a1 b0 c0", {"a-2 c+"}, "a = 1", "fuse 0", "at least two places are needed"},
    {"a1 b0 c0", {"a- b+"}, "c = 0", "fuse 0 1 1", "a place is listed twice"},
    {"a1 b0 c0", {"a- b+"}, "c = 0", "fuse 0 0", "a place is listed twice"},
    /* post */
    {"a1 b0", {"a- b+", "b-"}, "b >= 1", "post 1", "the goal depends on the place"},
    {"a1 b0 c0", {"a- b+", "b-", "b!2 c+"}, "c >= 1", "post 1", "a transition has a limit at the place"},
    {"a1 b0 c0 d0 e0", {"a- b+ c+", "c- d+", "b- d? e+"}, "e >= 1", "post 1", "a consumer tests another place"},
    {"a1 b0 c1 d0", {"a- b+", "b- c! d+", "c-"}, "d >= 1", "post 1", "a consumer tests another place"},
    {"a1 b0 c0", {"a- b+", "b- c+"}, "a = 0 && c = 0", "post 1", "a consumer changes a place that the goal depends on"},
    {"a1 b0 c0 d0 e0",
     {"a- b+ d+", "b- c+", "d- c! e+"},
     "e >= 1",
     "post 1",
     "a consumer adds to a place at which one has a limit"},
    {"a1 b0 c0 d0", {"a- b+2", "b- c+", "b-2 d+"}, "d >= 1", "post 1", "consumers take different numbers of tokens"},
    {"a2 b0 c0 d0", {"a- b+3", "b-2 c+", "c-3 d+"}, "d >= 1", "post 1", "a producer does not make what consumers take"},
    {"a1 b0 c0 d0 e0",
     {"a- b+2", "b- c+", "b- d+", "c- d- e+"},
     "e >= 1",
     "post 1",
     "a producer does not make what consumers take"},
    {"a0 b2 c0 d0 e0",
     {"a- b+", "b- c+", "b- d+", "c- d- e+"},
     "e >= 1",
     "post 1",
     "the place has tokens for more than one consumer"},
    {"a1 b0 c0", {"a- b+", "b-", "b? c+"}, "c >= 1", "post 1", "neither a producer nor a consumer"},
    {"a1 b0 c0", {"a- b+", "b-", "b?2 b- c+"}, "a = 0", "post 1", "neither a producer nor a consumer"},
    {"a1 b0 c0", {"a- b+", "b-", "b? b+ c+"}, "c >= 1", "post 1", "neither a producer nor a consumer"},
    {"a1 b0 c0", {"a- b+", "c-"}, "a = 0", "post 1", "the place has no consumer"},
    {"a1 b0 c0", {"a- b+65", "b- c+"}, "a = 0", "post 1", "a producer makes too many portions"},
    {"a1 b549755813888 c0", {"b- c+549755813888"}, "a = 1", "post 1", "a count is too large"},
    /* pre */
    {"a1 b0 c0 d0 e0",
     {"a- b+", "b- d? c+", "a! e+"},
     "e >= 1",
     "pre 1",
     "another transition tests what a producer takes"},
    {"a1 b0 c0 d0", {"a- b+", "b- d? c+", "a?"}, "deadlock", "pre 1", "another transition tests what a producer takes"},
    {"a1 b0 c0 d0 e0",
     {"a- b+ d+", "b- e? c+", "d- c+"},
     "c >= 1",
     "pre 1",
     "a producer does more than take tokens elsewhere"},
    {"a1 b0 c0 d1", {"a- b+ d?", "b- c+", "d-"}, "c >= 1", "pre 1", "a producer does more than take tokens elsewhere"},
    {"a1 b0 c0 d0", {"a- b+ d!", "b- c+"}, "c >= 1", "pre 1", "a producer does more than take tokens elsewhere"},
    {"a1 b0 c0 d1 e0",
     {"a- a!2 b+", "b- e? c+", "d- a+ e+"},
     "c >= 1",
     "pre 1",
     "a producer does more than take tokens elsewhere"},
    {"a1 b0 c0", {"a- b+", "b- c?"}, "a = 0", "pre 1", "a producer changes a place that the goal depends on"},
    {"a0 b1 c0", {"a- b+", "b- c+"}, "c >= 1", "pre 1", "the place has tokens for a consumer"},
    {"a1 b0 c0", {"a- b+2", "b- c+"}, "c >= 2", "pre 1", "a producer does not make what consumers take"},
    {"a1 b0 c0", {"a- b+", "b-2 c+"}, "a = 0 || c = 1", "pre 1", "a producer"},
    {"a1 b0 c0", {"a- b+", "b- c+"}, "b >= 1", "pre 1", "the goal depends on the place"},
    /* goals and numbers */
    {"a1 b0", {"a- b+", "b- a+"}, "!deadlock", "fuse 0 1", "\"not deadlock\" allows no steps"},
    {"a1 b0", {"a- b+", "b- a+"}, "b >= 1 && !deadlock", "constant 0", "\"not deadlock\" allows no steps"},
    {"a1099511627776 b0", {"a- b+"}, "b >= 1", "constant 0", "counts of 2^40 or more"},
    {"a1 b0", {"a- b+1099511627776"}, "b >= 1", "constant 0", "counts of 2^40 or more"},
};

static bool read_steps(const char *text, NetSteps *steps)
{
    g_auto(GStrv) lines = g_strsplit(text, "; ", -1);
    for (char **line = lines; *line; line++)
        if (!steps_parse(steps, *line)) return false;
    return true;
}

START_TEST(false_claims_are_refused_for_the_right_reason)
{
    for (size_t i = 0; i < G_N_ELEMENTS(attempts); i++) {
        const Attempt *a = &attempts[i];
        g_autoptr(Net) net = net_of(a->places, a->transitions);
        g_autoptr(FormulaStore) store = formula_store_new(net);
        FormulaId goal;
        g_autoptr(GError) error = NULL;
        ck_assert_msg(expression_parse(store, a->goal, "goal", &goal, &error), "%zu: %s", i,
                      error ? error->message : "");
        ck_assert_msg(naive_reach(net, store, goal, 1000, NULL) == NAIVE_YES || strstr(a->refusal, "too large") ||
                          strstr(a->refusal, "2^40"),
                      "attempt %zu is no lie", i);
        NetSteps steps = {0};
        ck_assert_msg(read_steps(a->steps, &steps), "%s", a->steps);
        Budget budget = budget_unlimited();
        Applied applied;
        g_autofree char *problem = NULL;
        bool accepted = apply_steps(net, store, goal, &steps, &budget, &applied, &problem);
        ck_assert_msg(!accepted, "attempt %zu is accepted: %s for %s", i, a->steps, a->goal);
        ck_assert_msg(strstr(problem, a->refusal) != NULL, "attempt %zu: \"%s\" instead of \"%s\"", i, problem,
                      a->refusal);
        steps_clear(&steps);
    }
}
END_TEST

START_TEST(lines_that_are_no_steps)
{
    static const char *const lines[] = {"",
                                        "Constant 1",
                                        "constants 1",
                                        "constant 1 ",
                                        "constant  1",
                                        "constant -1",
                                        "constant 1,2",
                                        "constant 4294967295",
                                        "constant 99999999999999999999999",
                                        "post +1",
                                        "post x",
                                        "same_place 1 2x",
                                        " post 1",
                                        "trust me"};
    for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
        NetSteps steps = {0};
        ck_assert_msg(!steps_parse(&steps, lines[i]), "\"%s\"", lines[i]);
        steps_clear(&steps);
    }
}
END_TEST

/* Whole files, with the right beginning and checksum. */
static char *verdict(const Net *net, const char *body)
{
    g_autofree char *path = g_build_filename(g_get_tmp_dir(), "mazurka-steps-XXXXXX", NULL);
    close(g_mkstemp(path));
    g_autofree char *digest = digest_of(net);
    g_autofree char *whole = g_strdup_printf("%s\nnet %u %u %u\ndigest %s\n%s", CERTIFICATE_FORMAT, net->n_places,
                                             net->n_transitions, (unsigned)certificate_arcs(net), digest, body);
    g_autofree char *sum = g_compute_checksum_for_string(G_CHECKSUM_SHA256, whole, -1);
    g_autofree char *text = g_strdup_printf("%ssha256 %s\n", whole, sum);
    ck_assert(g_file_set_contents(path, text, -1, NULL));
    Certificate c;
    GError *error = NULL;
    char *problem = NULL;
    Budget budget = budget_unlimited();
    if (!certificate_read(&c, net, path, &error)) {
        problem = g_strdup(error->message);
        g_error_free(error);
    } else {
        ck_assert(certificate_check(&c, net, &budget, &problem) == !problem);
        certificate_clear(&c);
    }
    unlink(path);
    return problem;
}

START_TEST(files_with_steps)
{
    static const char *const files[][2] = {
        {"goal c >= 2\nsteps 1\npost 1\nreduced 2 1\nkind markings 1\nmarkings 0\nbytes 8\n", "the binary part is cut"},
        {"goal c >= 1\nsteps 1\nconstant 0\nreduced 3 2\nkind none\n", "the goal is not constantly false"},
        {"goal c >= 1\nkind none\n", "the goal is not constantly false"},
        {"goal false\nkind none\n", NULL},
        {"goal a >= 2\nsteps 1\nforget 1\nreduced 2 2\nkind none\n", "the goal is not constantly false"},
        {"goal a >= 2\nsteps 2\nforget 1 2\nuseless 1\nreduced 1 1\nkind none\n", "the goal is not constantly false"},
        {"goal b + c >= 2\nsteps 0\nreduced 3 2\nkind none\n", "steps that are there must be listed"},
        {"goal c >= 1\nsteps 2\nforget 1\nreduced 2 2\nkind none\n", "is no step"},
        {"goal c >= 1\nsteps 1\nforget 1\nkind none\n", "\"reduced ...\" is expected here"},
        {"goal c >= 1\nsteps 1\nforget 1\nreduced 2\nkind none\n", "are expected here"},
        {"goal c >= 1\nsteps 1\nforget 1\nreduced 9 2\nkind none\n", "are expected here"},
        {"goal false\nsteps 1\nforget 1\nreduced 1 2\nkind none\n",
         "the steps leave 2 places and 2 transitions, not 1 and 2"},
        {"goal c >= 1\nsteps 1\nforget 1\nreduced 2 2\nsteps 1\nforget 0\nreduced 1 2\nkind none\n",
         "\"kind ...\" is expected here"},
        {"goal c >= 1\nsteps 4294967295\nforget 1\n", "is no step"},
    };
    g_autoptr(Net) net = net_of("a1 b0 c0", (const char *const[]){"a- b+", "b- c+", NULL});
    for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
        g_autofree char *problem = verdict(net, files[i][0]);
        if (!files[i][1])
            ck_assert_msg(!problem, "%zu: %s", i, problem);
        else
            ck_assert_msg(problem && strstr(problem, files[i][1]), "%zu: %s", i, problem ? problem : "accepted");
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("step refusals");
    TEST_CASE(suite, false_claims_are_refused_for_the_right_reason);
    TEST_CASE(suite, lines_that_are_no_steps);
    TEST_CASE(suite, files_with_steps);
    return test_run(suite);
}
