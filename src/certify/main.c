/* mazurka-verify NET CERTIFICATE: checks a proof that `mazurka check --certificate` wrote. Apart from the readers of
 * nets, goals and properties it shares no code with the engines that make such proofs. */
#include "base/input.h"
#include "base/visible.h"
#include "certify/asked.h"
#include "certify/certificate.h"
#include "certify/limits.h"
#include "certify/sandbox.h"
#include "net/reader.h"

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
    return word[2 + n] == 0 && *i + 1 < argc ? argv[++*i] : NULL;
}

static bool read_arguments(Arguments *a, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *value;
        if (strcmp(argv[i], "--deadlock") == 0)
            a->asked.deadlock = true;
        else if ((value = value_of(argv, argc, &i, "goal")))
            a->asked.goal = value;
        else if ((value = value_of(argv, argc, &i, "property")))
            a->property = value;
        else if ((value = value_of(argv, argc, &i, "id")))
            a->asked.id = value;
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
    return a->certificate && !a->property == !a->asked.id &&
           (a->asked.goal != NULL) + a->asked.deadlock + (a->property != NULL) <= 1;
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

/* Is the certificate about what was asked? -1: yes; otherwise the exit status. */
static int compare_goals(const Asked *asked, const Certificate *c, const Net *net)
{
    g_autoptr(FormulaStore) store = formula_store_new(net);
    g_autoptr(GError) error = NULL;
    FormulaId own, wanted;
    bool any = asked->goal || asked->deadlock || asked->property;
    if (any && !asked_goal(asked, store, &wanted, &error)) return refuse(error->message);
    if (!certificate_goal(c, store, &own, &error)) return reject(error->message);
    if (any && own != wanted) {
        g_autofree char *text = formula_text(store, wanted);
        visible_print(stdout, "REJECTED: the certificate is about another goal: %s; asked is %s\n", c->goal, text);
        return EXIT_REJECTED;
    }
    if (own == FORMULA_ID_FALSE)
        visible_print(stderr, "mazurka-verify: warning: the goal is constantly false, whatever the net does\n");
    return -1;
}

static int check(const Arguments *a, const Certificate *c, const Net *net)
{
    int status = compare_goals(&a->asked, c, net);
    if (status >= 0) return status;
    Budget budget = budget_unlimited();
    g_autofree char *problem = NULL;
    if (!certificate_check(c, net, &budget, &problem)) return reject(problem);
    g_autofree char *how = certificate_describe(c);
    visible_print(stdout, "VERIFIED: no reachable marking satisfies %s (%s)\n", c->goal, how);
    return EXIT_PROVED;
}

static int run(Arguments *a, Inputs *in)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(Net) net = net_read(in->net, a->net_id, &error);
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
        fputs("usage: mazurka-verify NET CERTIFICATE [--goal EXPR | --deadlock | --property FILE --id ID]\n"
              "                      [--net NAME] [--time SECONDS] [--memory MB]\n"
              "Checks that CERTIFICATE proves a goal unreachable in NET: the one it names, or exactly the one given.\n"
              "Exit: 0 it does, 1 it does not, 2 not checked (a limit, or stopped), 3 bad input or usage.\n",
              help ? stdout : stderr);
        return help ? EXIT_PROVED : EXIT_BAD;
    }
    limits_start(arguments.seconds, (uint64_t)(MIN(arguments.megabytes, 1e12) * 1048576));
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
