#include "batch/contest_colours.h"

#include "net/colours.h"
#include "program/open.h"

#define REPLAY_SHARE 0.1
#define REPLAY_SECONDS 10.0

void contest_colours_clear(ContestColours *colours)
{
    unmerge_free(colours->unmerge);
    colour_net_free(colours->coloured);
}

bool contest_colours_merged(const Contest *c)
{
    return c->net->colours && c->net->colours->merged;
}

/* Whoever answers may be another thread. */
static Budget part_of(const ContestColours *colours)
{
    return budget_part(colours->budget, REPLAY_SHARE, REPLAY_SECONDS, NULL);
}

Unmerge *contest_colours_unmerge(const Contest *c)
{
    ContestColours *colours = c->colours;
    if (colours->tried) return colours->unmerge;
    colours->tried = true;
    Budget budget = part_of(colours);
    net_free(open_net(colours->model, &(OpenOptions){.budget = &budget, .coloured = &colours->coloured}, NULL));
    if (colours->coloured) colours->unmerge = unmerge_new(colours->coloured, &budget);
    return colours->unmerge;
}

bool contest_colours_run_fails(const Contest *c, const VecU32 *run)
{
    if (!run->len || !contest_colours_merged(c) || !contest_colours_unmerge(c)) return false;
    Budget budget = part_of(c->colours);
    g_autoptr(GPtrArray) names = unmerge_run(c->colours->unmerge, c->net, run->data, run->len, &budget);
    return !names && !budget_ended(&budget);
}
