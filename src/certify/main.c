/* mazurka-verify NET CERTIFICATE: checks a proof that `mazurka check --certificate` wrote. Apart from the readers of
 * nets, goals and properties it shares no code with the engines that make such proofs. */
#include "base/input.h"
#include "base/machine.h"
#include "base/visible.h"
#include "certify/asked.h"
#include "certify/certificate.h"
#include "certify/coloured_net.h"
#include "certify/limits.h"
#include "certify/sandbox.h"
#include "colour/read.h"
#include "net/read.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_PROVED = 0, EXIT_REJECTED = 1, EXIT_BAD = 3 };

typedef struct Arguments {
    const char *net, *certificate; /* files */
    const char *net_id, *property;
    Asked asked;
    double seconds, megabytes;
} Arguments;

/* Opened before anything is read, so that the process can give up opening files. */
typedef struct Inputs {
    Input *net, *certificate, *property;
} Inputs;

static int refuse(const char *message)
{
    visible_print(stderr, "mazurka-verify: %s\n", message);
    return EXIT_BAD;
}

static int reject(const char *message)
{
    visible_print(stdout, "REJECTED: %s\n", message);
    return EXIT_REJECTED;
}

/* ---- the command line ---- */

static bool read_limit(const char *text, double *value)
{
    char *end;
    *value = g_ascii_strtod(text, &end);
    return *text && !*end && isfinite(*value) && *value > 0;
}

/* "--NAME VALUE" or "--NAME=VALUE"; *i moves on over what was taken. */
static const char *value_of(char **argv, int argc, int *i, const char *name)
{
    size_t n = strlen(name);
    const char *word = argv[*i];
    if (strncmp(word, "--", 2) != 0 || strncmp(word + 2, name, n) != 0) return NULL;
    if (word[2 + n] == '=') return word + 3 + n;
    if (word[2 + n] != 0 || *i + 1 >= argc) return NULL;
    assert(argv[*i + 1]);
    return argv[++*i];
}

/* --goal, --lost, --home, --live, --sound: at most one of them. */
static bool takes_claim(Arguments *a, char **argv, int argc, int *i)
{
    if (a->asked.goal || a->asked.claim) return false;
    for (CertificateClaim claim = CLAIM_NEVER; claim < N_CERTIFICATE_CLAIMS; claim++) {
        if (!certificate_claim_has_goal(claim)) {
            const char *word = argv[*i];
            if (strncmp(word, "--", 2) != 0 || strcmp(word + 2, certificate_claim_word(claim)) != 0) continue;
            a->asked.claim = claim;
            return true;
        }
        a->asked.goal = value_of(argv, argc, i, certificate_claim_word(claim));
        if (!a->asked.goal) continue;
        a->asked.claim = claim;
        return true;
    }
    return false;
}

static bool read_arguments(Arguments *a, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *value;
        if (strcmp(argv[i], "--deadlock") == 0)
            a->asked.deadlock = true;
        else if (takes_claim(a, argv, argc, &i))
            continue;
        else if ((value = value_of(argv, argc, &i, "property")))
            a->property = value;
        else if ((value = value_of(argv, argc, &i, "id")))
            a->asked.id = value;
        else if ((value = value_of(argv, argc, &i, "bound")))
            a->asked.bound = value;
        else if ((value = value_of(argv, argc, &i, "net")))
            a->net_id = value;
        else if ((value = value_of(argv, argc, &i, "time"))) {
            if (!read_limit(value, &a->seconds)) return false;
        } else if ((value = value_of(argv, argc, &i, "memory"))) {
            if (!read_limit(value, &a->megabytes)) return false;
        } else if (argv[i][0] == 0 || (argv[i][0] == '-' && argv[i][1]) || a->certificate)
            return false;
        else
            *(a->net ? &a->certificate : &a->net) = argv[i];
    }
    return a->certificate && !a->property == !a->asked.id && (!a->asked.bound || a->property) &&
           (a->asked.goal || a->asked.claim) + a->asked.deadlock + (a->property != NULL) <= 1;
}

/* ---- input ---- */

/* All of it; what does not begin like a certificate is not read to its end, which it may not have. */
static char *read_certificate(Input *input, size_t *len, GError **error)
{
    static const char beginning[] = "mazurka-certificate ";
    const char *head = input_peek(input, len, error);
    if (!head) return NULL;
    bool good = *len >= sizeof beginning - 1 && memcmp(head, beginning, sizeof beginning - 1) == 0;
    return good ? input_read_all(input, SIZE_MAX, len, error) : g_memdup2(head, *len ? *len : 1);
}

static bool open_inputs(const Arguments *a, Inputs *in, GError **error)
{
    return (in->net = input_open(a->net, NULL, error)) && (in->certificate = input_open(a->certificate, NULL, error)) &&
           (!a->property || (in->property = input_open(a->property, NULL, error)));
}

static void close_inputs(Inputs *in)
{
    input_close(in->net);
    input_close(in->certificate);
    input_close(in->property);
}

/* ---- the answer ---- */

static void warn_of_nothing(const Certificate *c, const Net *net)
{
    g_autoptr(FormulaStore) store = formula_store_new(net);
    FormulaId goal;
    if (!c->bound.claimed && certificate_goal(c, store, &goal, NULL) && goal == FORMULA_ID_FALSE)
        visible_print(stderr, "mazurka-verify: warning: the goal is constantly false, whatever the net does\n");
}

static int check(const Arguments *a, const Certificate *c, const Net *net)
{
    g_autofree char *message = NULL, *problem = NULL;
    AskedAnswer answer = asked_compare(&a->asked, c, net, &message);
    if (answer != ASKED_SAME) return answer == ASKED_FAULTY ? refuse(message) : reject(message);
    warn_of_nothing(c, net);
    Budget budget = budget_unlimited();
    if (!certificate_check(c, net, &budget, &problem)) return reject(problem);
    g_autofree char *how = certificate_describe(c);
    g_autofree char *claim = certificate_claim(c, net);
    visible_print(stdout, "VERIFIED: %s (%s)\n", claim, how);
    return EXIT_PROVED;
}

/* A coloured net is expanded here, by the definition. */
static Net *read_net(Input *input, const char *net_id, GError **error)
{
    size_t len;
    const char *head = input_peek(input, &len, error);
    if (!head) return NULL;
    if (format_of_content(head, len) != FORMAT_pnml) return net_read(input, net_id, error);
    Net *net = NULL;
    g_autoptr(ColourNet) coloured = NULL;
    if (!colour_read(input, net_id, &net, &coloured, error)) return NULL;
    return coloured ? coloured_net_expand(coloured, error) : net;
}

static int run(Arguments *a, Inputs *in)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(Net) net = read_net(in->net, a->net_id, &error);
    if (!net) return refuse(error->message);
    g_autofree char *property = NULL;
    if (in->property) {
        property = input_read_all(in->property, SIZE_MAX, &a->asked.property_len, &error);
        if (!property) return refuse(error->message);
        a->asked.property = property;
        a->asked.property_name = input_name(in->property);
    }
    size_t len;
    g_autofree char *text = read_certificate(in->certificate, &len, &error);
    if (!text) return refuse(error->message);
    Certificate certificate;
    if (!certificate_read_bytes(&certificate, net, text, len, input_name(in->certificate), &error))
        return reject(error->message);
    int status = check(a, &certificate, net);
    certificate_clear(&certificate);
    return status;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        puts("mazurka-verify " PACKAGE_VERSION);
        return EXIT_PROVED;
    }
    bool help = argc == 2 && strcmp(argv[1], "--help") == 0;
    Arguments arguments = {0};
    if (help || !read_arguments(&arguments, argc, argv)) {
        fputs("usage: mazurka-verify NET CERTIFICATE [--net NAME] [--time SECONDS] [--memory MB]\n"
              "                      [--goal EXPR | --home EXPR | --lost EXPR | --live | --sound | --deadlock |\n"
              "                       --property FILE --id ID [--bound N|inf]]\n"
              "Checks that CERTIFICATE proves a goal unreachable in NET, or that it can always be reached again,\n"
              "or that it cannot (it is lost after some run), or the upper bound of a sum of places, or that NET\n"
              "is live, or a sound workflow net:\n"
              "the claim that it makes, or exactly the one given.\n"
              "Exit: 0 it does, 1 it does not, 2 not checked (a limit, or stopped), 3 bad input or usage.\n",
              help ? stdout : stderr);
        return help ? EXIT_PROVED : EXIT_BAD;
    }
    limits_start(arguments.seconds, arguments.megabytes > 0 ? (uint64_t)(MIN(arguments.megabytes, 1e12) * 1048576)
                                                            : machine_usual_memory());
    g_autoptr(GError) error = NULL;
    Inputs inputs = {0};
    int status = open_inputs(&arguments, &inputs, &error) ? -1 : refuse(error->message);
    if (status < 0) {
        sandbox_enter();
        status = run(&arguments, &inputs);
    }
    close_inputs(&inputs);
    if (fflush(stdout) != 0) return refuse("standard output cannot be written");
    return status;
}
