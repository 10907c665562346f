#include "sat/adder.h"

enum { SUM_BITS = 191 };

static bool bit_of(Sum value, unsigned i)
{
    return i < 128 ? value.low >> i & 1 : value.high >> (i - 128) & 1;
}

/* low + 2 * high = a + b. */
static void half_adder(Sat *sat, SatLit a, SatLit b, SatLit *low, SatLit *high)
{
    SatLit sum = *low = sat_variable(sat), carry = *high = sat_variable(sat);
    sat_clause_of(sat, -sum, a, b);
    sat_clause_of(sat, -sum, -a, -b);
    sat_clause_of(sat, sum, -a, b);
    sat_clause_of(sat, sum, a, -b);
    sat_clause_of(sat, -carry, a);
    sat_clause_of(sat, -carry, b);
    sat_clause_of(sat, carry, -a, -b);
}

/* low + 2 * high = a + b + c. The last six clauses follow from the others, but not by propagation. */
static void full_adder(Sat *sat, SatLit a, SatLit b, SatLit c, SatLit *low, SatLit *high)
{
    SatLit sum = *low = sat_variable(sat), carry = *high = sat_variable(sat);
    for (int sign = 1; sign >= -1; sign -= 2) {
        SatLit s = sign * sum, r = sign * carry, x = sign * a, y = sign * b, z = sign * c;
        sat_clause_of(sat, -s, x, y, z);
        sat_clause_of(sat, -s, x, -y, -z);
        sat_clause_of(sat, -s, -x, y, -z);
        sat_clause_of(sat, -s, -x, -y, z);
        sat_clause_of(sat, -r, x, y);
        sat_clause_of(sat, -r, x, z);
        sat_clause_of(sat, -r, y, z);
        sat_clause_of(sat, -s, -r, x);
        sat_clause_of(sat, -s, -r, y);
        sat_clause_of(sat, -s, -r, z);
    }
}

/* First in, first out: the adders of a bit form a tree, not a chain. */
static SatLit add_column(Sat *sat, AdderBits *column, AdderBits *next)
{
    size_t head = 0;
    while (column->len - head > 1 && !sat_spent(sat)) {
        SatLit low, high, *in = vec_from(column, head);
        bool full = column->len - head > 2;
        if (full)
            full_adder(sat, in[0], in[1], in[2], &low, &high);
        else
            half_adder(sat, in[0], in[1], &low, &high);
        head += full ? 3 : 2;
        vec_push(column, low);
        vec_push(next, high);
    }
    return column->len ? vec_last(column) : 0;
}

void adder_sum(Sat *sat, const CountTerm *terms, uint32_t n, AdderBits *bits)
{
    AdderBits column = {0}, next = {0};
    vec_clear(bits);
    for (unsigned i = 0; i < SUM_BITS && !sat_spent(sat); i++) {
        for (uint32_t k = 0; k < n; k++)
            if (bit_of(terms[k].coefficient, i)) vec_push(&column, terms[k].literal);
        vec_push(bits, add_column(sat, &column, &next));
        AdderBits swap = column;
        column = next;
        next = swap;
        vec_clear(&next);
    }
    vec_free(&column);
    vec_free(&next);
}

/* above or rest / above and rest, as a literal; `rest` may be a constant. */
static SatLit join(Sat *sat, SatLit truth, bool either, SatLit above, SatLit rest)
{
    if (rest == truth) return either ? truth : above;
    if (rest == -truth) return either ? above : -truth;
    SatLit result = sat_variable(sat), sign = either ? 1 : -1;
    sat_clause_of(sat, -sign * result, sign * above, sign * rest);
    sat_clause_of(sat, sign * result, -sign * above);
    sat_clause_of(sat, sign * result, -sign * rest);
    return result;
}

/* From the lowest bit up: the higher bit decides where it differs from the bound's, otherwise the lower ones do. */
SatLit adder_at_most(Sat *sat, SatLit truth, const AdderBits *bits, Sum bound)
{
    SatLit within = truth;
    for (unsigned i = 0; i < SUM_BITS; i++) {
        SatLit bit = i < bits->len ? bits->data[i] : 0;
        if (bit)
            within = join(sat, truth, bit_of(bound, i), -bit, within);
        else if (bit_of(bound, i))
            within = truth;
    }
    return within;
}
