/* How fast is the PNML reader, and how large is the net? See README.
 *   measure generate TRANSITIONS ARCS FILE    writes a net with about as many places as transitions
 *   measure read FILE...                      a bare xmlTextReader loop and the reader, same file, one line each */
#include "base/budget.h"
#include "base/rng.h"
#include "net/read.h"

#include <inttypes.h>
#include <libxml/xmlreader.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int generate(uint64_t transitions, uint64_t arcs, const char *path)
{
    FILE *out = fopen(path, "wb");
    if (!out) return perror(path), 1;
    uint64_t places = transitions;
    Rng rng = {1};
    fputs("<?xml version=\"1.0\"?>\n<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\">\n"
          "<net id=\"generated\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\">\n<page id=\"page\">\n",
          out);
    for (uint64_t p = 0; p < places; p++) {
        fprintf(out, "<place id=\"p%" PRIu64 "\"><name><text>p%" PRIu64 "</text></name>", p, p);
        if (p % 8 == 0) fputs("<initialMarking><text>1</text></initialMarking>", out);
        fputs("</place>\n", out);
    }
    for (uint64_t t = 0; t < transitions; t++)
        fprintf(out, "<transition id=\"t%" PRIu64 "\"><name><text>t%" PRIu64 "</text></name></transition>\n", t, t);
    /* The arcs of a transition stand together, their places are anywhere: the worst for caches. */
    for (uint64_t a = 0; a < arcs; a++) {
        uint64_t t = a * transitions / arcs, p = rng_below(&rng, places);
        if (a % 2)
            fprintf(out, "<arc id=\"a%" PRIu64 "\" source=\"t%" PRIu64 "\" target=\"p%" PRIu64 "\"", a, t, p);
        else
            fprintf(out, "<arc id=\"a%" PRIu64 "\" source=\"p%" PRIu64 "\" target=\"t%" PRIu64 "\"", a, p, t);
        fputs(a % 16 ? "/>\n" : "><inscription><text>1</text></inscription></arc>\n", out);
    }
    fputs("</page>\n</net>\n</pnml>\n", out);
    return fclose(out) ? perror(path), 1 : 0;
}

static double bare_loop(const char *path, uint64_t *nodes)
{
    double start = budget_cpu();
    xmlTextReaderPtr reader = xmlReaderForFile(path, NULL, XML_PARSE_NONET);
    *nodes = 0;
    while (reader && xmlTextReaderRead(reader) == 1) ++*nodes;
    xmlFreeTextReader(reader);
    return budget_cpu() - start;
}

static uint64_t arc_bytes(const NetArcs *arcs, uint64_t rows)
{
    return (rows + 1) * sizeof *arcs->start +
           arcs->start[rows] * (sizeof *arcs->node + (arcs->weight ? sizeof *arcs->weight : 0));
}

/* Everything but the names and what belongs to single nodes. */
static uint64_t bytes_of_arcs(const Net *net)
{
    uint64_t sum = 0;
    for (int kind = 0; kind < N_ARC_KINDS; kind++)
        sum +=
            arc_bytes(&net->of_transition[kind], net->n_transitions) + arc_bytes(&net->of_place[kind], net->n_places);
    return sum;
}

static int measure(const char *path)
{
    uint64_t nodes;
    double bare = bare_loop(path, &nodes);
    uint64_t before = budget_resident(), peak_before = budget_peak_kib();
    double start = budget_cpu();
    GError *error = NULL;
    Net *net = net_read_file(path, NULL, &error);
    double ours = budget_cpu() - start;
    if (!net) return fprintf(stderr, "%s\n", error->message), 1;
    uint64_t arcs = net_arcs_in_file(net), after = budget_resident();
    printf("%u\t%u\t%" PRIu64 "\t%" PRIu64 "\t%.2f\t%.2f\t%.2f\t%.1f\t%.1f\t%" PRIu64 "\t%" PRIu64 "\n", net->n_places,
           net->n_transitions, arcs, nodes, bare, ours, ours / bare, (double)bytes_of_arcs(net) / (double)arcs,
           (double)(after - before) / (double)arcs, peak_before / 1024, budget_peak_kib() / 1024);
    fflush(stdout);
    net_free(net);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 5 && strcmp(argv[1], "generate") == 0)
        return generate(strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10), argv[4]);
    if (argc < 3 || strcmp(argv[1], "read") != 0)
        return fputs("usage: measure generate TRANSITIONS ARCS FILE | measure read FILE...\n", stderr), 2;
    puts("places\ttransitions\tarcs\txml_nodes\tbare_s\tread_s\tratio\tarc_bytes\tnet_bytes_per_arc\tpeak_bare_"
         "mib\tpeak_mib");
    for (int i = 2; i < argc; i++)
        if (measure(argv[i])) return 1;
    return 0;
}
