#include "test.h"

#include "base/input.h"
#include "base/error.h"
#include "base/arena.h"
#include "base/bitset.h"
#include "base/budget.h"
#include "base/exact.h"
#include "base/natural.h"
#include "base/quote.h"
#include "base/rng.h"
#include "base/vec.h"
#include "base/visible.h"

START_TEST(bitset_each_visits_members_in_order)
{
    uint64_t set[3] = {0};
    const size_t members[] = {0, 5, 63, 64, 130, 191};
    for (size_t i = 0; i < G_N_ELEMENTS(members); i++) bitset_set(set, members[i]);
    size_t n = 0;
    for (BITSET_EACH(i, set, 3)) ck_assert_uint_eq(i, members[n++]);
    ck_assert_uint_eq(n, G_N_ELEMENTS(members));
    ck_assert_uint_eq(bitset_count(set, 3), n);
    for (BITSET_EACH(i, set, 0)) ck_abort();
}
END_TEST

START_TEST(arena_keeps_what_it_gave)
{
    Arena arena = {0};
    char *kept[2000];
    for (size_t i = 0; i < 2000; i++) {
        kept[i] = arena_alloc(&arena, i + 1);
        memset(kept[i], (int)(i % 251), i + 1);
    }
    for (size_t i = 0; i < 2000; i++)
        for (size_t k = 0; k <= i; k++) ck_assert_int_eq((unsigned char)kept[i][k], (int)(i % 251));
    arena_free(&arena);
}
END_TEST

START_TEST(vec_grows)
{
    VecU32 v = {0};
    for (uint32_t i = 0; i < 10000; i++) vec_push(&v, i);
    ck_assert_uint_eq(v.len, 10000);
    ck_assert_uint_eq(vec_pop(&v), 9999);
    vec_append(&v, v.data, 0);
    ck_assert_uint_eq(v.len, 9999);
    vec_free(&v);
}
END_TEST

/* The extremes, against arithmetic on 32-bit limbs by hand. */
START_TEST(sums_are_exact_beyond_128_bits)
{
    Sum sum = exact_of(0);
    for (unsigned i = 0; i < 1000; i++) exact_add_product(&sum, INT64_MAX, UINT64_MAX);
    ck_assert_int_eq(exact_sign(sum), 1);
    ck_assert_int_gt(sum.high, 0);
    Sum minus = exact_minus(sum);
    ck_assert_int_eq(exact_sign(minus), -1);
    ck_assert_int_lt(exact_compare(minus, sum), 0);
    for (unsigned i = 0; i < 1000; i++) exact_add_product(&minus, INT64_MAX, UINT64_MAX);
    ck_assert_int_eq(exact_sign(minus), 0);
    for (unsigned i = 0; i < 1000; i++) exact_add_product(&sum, INT64_MIN, UINT64_MAX);
    /* 1000 * (2^63 - 1 - 2^63) * (2^64 - 1) */
    exact_add_product(&sum, 1000, UINT64_MAX);
    ck_assert_int_eq(exact_sign(sum), 0);
    int64_t value = 7;
    uint64_t count = 7;
    ck_assert(exact_signed(sum, &value) && value == 0 && exact_unsigned(sum, &count) && count == 0);
    exact_add_product(&sum, 1, UINT64_MAX);
    ck_assert(!exact_signed(sum, &value) && exact_unsigned(sum, &count) && count == UINT64_MAX);
    exact_add(&sum, 1);
    ck_assert(!exact_unsigned(sum, &count));
    sum = exact_of(INT64_MIN);
    ck_assert(exact_signed(sum, &value) && value == INT64_MIN && !exact_unsigned(sum, &count));
    exact_add(&sum, -1);
    ck_assert(!exact_signed(sum, &value));
    ck_assert_int_eq(exact_sign(exact_minus(exact_of(0))), 0);
    exact_add_sum(&sum, exact_minus(sum));
    ck_assert_int_eq(exact_sign(sum), 0);
}
END_TEST

/* Steps that two nested parts allow, with delays that the clock would notice. */
static void count_steps(bool slow, uint64_t *outer, uint64_t *inner, uint64_t *rest)
{
    uint64_t work = 0;
    Budget whole = budget_new(0, 0, 0);
    budget_by_work(&whole, &work, 1);
    Budget part = budget_part(&whole, 0.25, 0, NULL), small = budget_child(&part, 0.001, NULL);
    *outer = *inner = *rest = 0;
    while (!budget_charge(&part, 7)) {
        ++*outer;
        if (slow && *outer % 100000 == 0) g_usleep(30000);
        if (*outer % 3 == 0 && !budget_charge(&small, 11)) ++*inner;
    }
    ck_assert(budget_ending(&part) == ENDING_TIME && budget_ending(&small) == ENDING_TIME && !budget_look(&whole));
    Budget more = budget_part(&whole, 0.1, 0, NULL);
    while (!budget_spent(&more)) {
        ++*rest;
        if (slow && *rest % 1000 == 0) g_usleep(1000);
    }
}

START_TEST(parts_by_work_end_at_the_same_step)
{
    uint64_t a[3], b[3];
    count_steps(false, &a[0], &a[1], &a[2]);
    count_steps(true, &b[0], &b[1], &b[2]);
    for (int i = 0; i < 3; i++) ck_assert_uint_eq(a[i], b[i]);
    ck_assert(a[0] > 1500000 && a[0] < 4000000);
    ck_assert(a[1] > 3000 && a[1] < 15000 && a[2] > 30000 && a[2] < 90000);
}
END_TEST

/* Work is reckoned, the clock is not: a part that may have everything ends by the clock, however much was charged. */
START_TEST(all_that_is_left_is_left_by_the_clock)
{
    uint64_t work = 0;
    Budget whole = budget_new(100, 0, 0);
    budget_by_work(&whole, &work, 1);
    Budget all = budget_part(&whole, 1, 0, NULL), most = budget_part(&whole, 1, 0.5, NULL);
    for (int i = 0; i < 3; i++) budget_charge(&all, 1000000000);
    ck_assert(!budget_look(&all) && !budget_look(&whole) && budget_look(&most));
    Budget none = budget_part(&most, 1, 0, NULL);
    ck_assert(budget_look(&none));
}
END_TEST

/* A budget that begins anew shares out the same by work, whatever was done before it. */
START_TEST(restarted_budgets_share_out_as_new_ones)
{
    uint64_t work = 0, steps[3] = {0};
    Budget whole = budget_new(100, 0, 0);
    budget_by_work(&whole, &work, 100);
    for (int round = 0; round < 3; round++) {
        if (round) budget_restart(&whole, 100);
        Budget part = budget_part(&whole, 0.001, 0, NULL);
        while (!budget_spent(&part)) steps[round]++;
        budget_exhaust(&whole, ENDING_EVENTS);
    }
    ck_assert_uint_eq(steps[0], steps[1]);
    ck_assert_uint_eq(steps[0], steps[2]);
    budget_restart(&whole, 0);
    ck_assert(!budget_ended(&whole) && !budget_is_timed(&whole) && isinf(budget_left(&whole)));
}
END_TEST

START_TEST(budget_ends_by_time_flag_and_count)
{
    Budget timed = budget_new(0.02, 0, 0);
    while (!budget_spent(&timed)) {
    }
    ck_assert_int_eq(budget_ending(&timed), ENDING_TIME);
    ck_assert(budget_spent(&timed));

    StopFlag flag = 0;
    Budget parent = budget_unlimited();
    budget_stop_by(&parent, &flag);
    Budget child = budget_child(&parent, 0, NULL);
    for (int i = 0; i < 100000; i++) ck_assert(!budget_spent(&child));
    flag = 1;
    while (!budget_spent(&child)) {
    }
    ck_assert_int_eq(budget_ending(&child), ENDING_STOPPED);

    /* flags of all the budgets around it, not only of the nearest */
    StopFlag outer = 0, middle = 0, inner = 0;
    parent = budget_unlimited();
    budget_stop_by(&parent, &outer);
    Budget second = budget_child(&parent, 0, &middle), third = budget_child(&second, 0, &inner),
           fourth = budget_child(&third, 0, NULL);
    ck_assert(!budget_look(&third) && !budget_look(&fourth));
    outer = 1;
    ck_assert(budget_look(&third) && budget_look(&fourth));
    ck_assert_int_eq(budget_ending(&fourth), ENDING_STOPPED);

    /* however many there are */
    enum { DEPTH = 40 };
    StopFlag flags[DEPTH] = {0};
    Budget nested[DEPTH];
    nested[0] = budget_unlimited();
    budget_stop_by(&nested[0], &flags[0]);
    for (int i = 1; i < DEPTH; i++) nested[i] = budget_child(&nested[i - 1], 0, i % 3 ? &flags[i] : NULL);
    flags[DEPTH / 2] = true;
    for (int i = 0; i < DEPTH; i++) ck_assert_int_eq(budget_look(&nested[i]), i >= DEPTH / 2);

    Budget small = budget_new(0, 1 << 20, 0);
    ck_assert(!budget_allows(&small, 1 << 22));
    ck_assert_int_eq(budget_ending(&small), ENDING_MEMORY);
}
END_TEST

static void *take_much(void *data)
{
    return GINT_TO_POINTER(budget_allows(data, UINT64_C(1) << 30));
}

/* Two threads that ask at the same time do not both get what is there for one. */
START_TEST(what_one_thread_may_take_is_not_given_to_another)
{
    uint64_t limit = budget_resident() + (UINT64_C(3) << 29);
    Budget here = budget_new(0, limit, 0), there = budget_child(&here, 0, NULL), later = budget_child(&here, 0, NULL);
    ck_assert(budget_allows(&here, UINT64_C(1) << 30));
    ck_assert(budget_allows(&here, UINT64_C(1) << 30)); /* one question after the other is about the same memory */
    ck_assert(!g_thread_join(g_thread_new("other", take_much, &there)));
    ck_assert_int_eq(budget_ending(&there), ENDING_MEMORY);
    ck_assert(!budget_look(&here)); /* it was not taken */
    ck_assert(g_thread_join(g_thread_new("other", take_much, &later)) != NULL);
    ck_assert(budget_allows(&here, UINT64_C(1) << 30)); /* a thread that has ended takes no more */
}
END_TEST

START_TEST(rng_repeats_and_stays_below)
{
    Rng a = {7}, b = {7};
    bool seen[10] = {0};
    for (int i = 0; i < 1000; i++) {
        uint64_t x = rng_below(&a, 10);
        ck_assert_uint_eq(x, rng_below(&b, 10));
        ck_assert_uint_lt(x, 10);
        seen[x] = true;
    }
    for (int i = 0; i < 10; i++) ck_assert(seen[i]);
}
END_TEST

START_TEST(shown_text_has_nothing_a_terminal_obeys)
{
    static const struct {
        const char *text, *shown;
    } cases[] = {
        {"plain (A-1) \\n \xc3\xa9 \xe6\xbc\xa2", "plain (A-1) \\n \xc3\xa9 \xe6\xbc\xa2"},
        {"a\nb\rc\td", "a\\nb\\rc\\td"},
        {"\x1b[2J\x01\x7f", "\\x1b[2J\\x01\\x7f"},
        {"\xc2\x9b\xc2\x85", "\\x9b\\x85"},
        {"\xe2\x80\xa8\xe2\x80\xa9", "\\u2028\\u2029"},
        {"\xe2\x80\xae\xe2\x81\xa6\xe2\x80\x8b\xef\xbb\xbf\xd8\x9c", "\\u202e\\u2066\\u200b\\ufeff\\u061c"},
        {"\xf3\xa0\x80\x81", "\\U000e0001"},
        {"\xff\xc3(\xc0\x80\xed\xa0\x80\xe6\xbc", "\\xff\\xc3(\\xc0\\x80\\xed\\xa0\\x80\\xe6\\xbc"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *shown = visible_text(cases[i].text), *again = visible_text(shown);
        ck_assert_str_eq(shown, cases[i].shown);
        ck_assert_str_eq(again, shown);
    }
}
END_TEST

START_TEST(quoted_ids_come_back)
{
    Rng rng = {11};
    static const char *const pieces[] = {"a",    "\"",   "\\",       "x41",          "\n",      "\r",
                                         "\x1b", "\xff", "\xc3\xa9", "\xe2\x80\xae", "\xc2\x9b"};
    for (int i = 0; i < 2000; i++) {
        g_autoptr(GString) id = g_string_new(NULL), quoted = g_string_new(NULL), back = g_string_new(NULL);
        for (uint64_t n = rng_below(&rng, 8); n > 0; n--)
            g_string_append(id, pieces[rng_below(&rng, G_N_ELEMENTS(pieces))]);
        quote_append(quoted, id->str);
        g_autofree char *shown = visible_text(quoted->str);
        ck_assert_str_eq(shown, quoted->str);
        const char *end = quote_read(quoted->str + 1, back);
        ck_assert_ptr_eq(end, quoted->str + quoted->len - 1);
        ck_assert_str_eq(back->str, id->str);
    }
    g_autoptr(GString) word = g_string_new(NULL);
    ck_assert_ptr_null(quote_read("no end\n\"", word));
}
END_TEST

/* Without odd characters it is printf(). */
#define SAME_AS_PRINTF(...)                                                                                            \
    do {                                                                                                               \
        g_autofree char *expected = g_strdup_printf(__VA_ARGS__);                                                      \
        g_autoptr(GString) got = g_string_new(NULL);                                                                   \
        visible_format(got, __VA_ARGS__);                                                                              \
        ck_assert_str_eq(got->str, expected);                                                                          \
    } while (0)

START_TEST(shown_formats_are_those_of_printf)
{
    SAME_AS_PRINTF("none %%\n");
    SAME_AS_PRINTF("%d %5d|%-5d|%05d %+d", -1, -2, 3, 4, 5);
    SAME_AS_PRINTF("%u %lu %llu %zu %jx", UINT32_MAX, ULONG_MAX, ULLONG_MAX, SIZE_MAX, UINTMAX_MAX);
    SAME_AS_PRINTF("%ld %lld %zd %hhu", LONG_MIN, LLONG_MIN, (ssize_t)-1, (unsigned char)200);
    SAME_AS_PRINTF("%.3f %8.2f %g %e%c", 1.5, 2.25, 1e100, 3.0, '!');
    SAME_AS_PRINTF("[%s] [%7s] [%-7s] [%.2s] [%*s] [%-*s] [%.*s]", "a", "b", "c", "defg", 4, "h", 4, "i", 1, "jk");
    SAME_AS_PRINTF("%" G_GUINT64_FORMAT " %*" G_GINT64_FORMAT, G_MAXUINT64, 22, G_MININT64);

    g_autoptr(GString) text = g_string_new(NULL);
    visible_format(text, "a\n[%s] [%4s] [%.2s]", "b\nc", "\xc3\xa9", "x\xc3\xa9");
    ck_assert_str_eq(text->str, "a\n[b\\nc] [   \xc3\xa9] [x]");
}
END_TEST

static gssize endless(void *source, char *buffer, size_t size)
{
    uint64_t *fetched = source;
    memset(buffer, 'x', size);
    *fetched += size;
    return (gssize)size;
}

START_TEST(inputs_end_at_their_limits)
{
    uint64_t fetched = 0;
    g_autoptr(GError) error = NULL;
    g_autoptr(Input) input = input_from(endless, &fetched, "endless", NULL);
    ck_assert_ptr_null(input_read_all(input, 3000000, NULL, &error));
    ck_assert(g_error_matches(error, MAZURKA_ERROR, ERROR_LIMIT));
    ck_assert_str_eq(error->message, "endless: longer than 3 MB, more than is read here");
    ck_assert_uint_lt(fetched, 4000000);
    g_clear_error(&error);
    StopFlag stop = 1;
    Budget budget = budget_unlimited();
    budget_stop_by(&budget, &stop);
    g_autoptr(Input) stopped = input_from(endless, &fetched, "endless", &budget);
    size_t len;
    ck_assert_ptr_null(input_peek(stopped, &len, &error));
    ck_assert(g_error_matches(error, MAZURKA_ERROR, ERROR_SPENT));
    g_clear_error(&error);
    ck_assert_ptr_null(input_open("nosuch", NULL, &error));
    ck_assert_str_eq(error->message, "nosuch: cannot be opened: No such file or directory");
}
END_TEST

START_TEST(inputs_give_every_byte_once)
{
    enum { SIZE = 200000 };
    g_autofree char *data = g_malloc(SIZE);
    for (int i = 0; i < SIZE; i++) data[i] = (char)(i * 31 + i / 256);
    g_autoptr(Input) input = input_bytes(data, SIZE, "bytes", NULL);
    size_t len;
    const char *head = input_peek(input, &len, NULL);
    ck_assert(len >= 4096 && memcmp(head, data, len) == 0);
    char few[3];
    ck_assert_int_eq(input_read(input, few, 3, NULL), 3);
    ck_assert(memcmp(few, data, 3) == 0);
    g_autofree char *rest = input_read_all(input, SIZE, &len, NULL);
    ck_assert(len == SIZE - 3 && memcmp(rest, data + 3, len) == 0 && rest[len] == 0);
}
END_TEST

/* Whole characters, whatever the text. */
START_TEST(excerpts_are_valid_text)
{
    Rng rng = {5};
    for (int i = 0; i < 20000; i++) {
        char text[160];
        size_t n = rng_below(&rng, sizeof text);
        for (size_t k = 0; k < n; k++) text[k] = rng_chance(&rng, 3) ? "\xe2\x82\xac\xf0\x9f"[rng_below(&rng, 5)] : 'a';
        ErrorExcerpt excerpt = error_excerpt(text, n);
        ck_assert(g_utf8_validate(excerpt.text, -1, NULL));
        ck_assert_uint_lt(strlen(excerpt.text), sizeof excerpt.text);
        ck_assert_int_eq(g_str_has_suffix(excerpt.text, "..."), n > 100);
    }
    ck_assert_str_eq(error_excerpt("caf\xc3\xa9", SIZE_MAX).text, "caf\xc3\xa9");
}
END_TEST

/* ---- naturals against sums and products as they are done on paper, digit by digit ---- */

static char *paper_sum(const char *a, const char *b)
{
    size_t na = strlen(a), nb = strlen(b), n = MAX(na, nb) + 1;
    g_autofree char *sum = g_strnfill(n, '0');
    int carry = 0;
    for (size_t i = 0; i < n; i++) {
        int digit = carry + (i < na ? a[na - 1 - i] - '0' : 0) + (i < nb ? b[nb - 1 - i] - '0' : 0);
        sum[n - 1 - i] = (char)('0' + digit % 10);
        carry = digit / 10;
    }
    const char *from = sum;
    while (from[0] == '0' && from[1]) from++;
    return g_strdup(from);
}

static char *paper_product(const char *a, const char *b)
{
    char *product = g_strdup("0");
    for (; *b; b++) {
        g_autofree char *shifted = g_strconcat(product, "0", NULL);
        g_free(product);
        product = paper_sum(shifted, "0");
        for (int i = 0; i < *b - '0'; i++) {
            g_autofree char *before = product;
            product = paper_sum(before, a);
        }
    }
    return product;
}

static char *paper_number(const uint64_t *digits, size_t width)
{
    char *number = g_strdup("0");
    for (size_t bit = 64 * width; bit-- > 0;) {
        g_autofree char *half = number, *twice = paper_sum(half, half);
        number = paper_sum(twice, digits[bit / 64] >> bit % 64 & 1 ? "1" : "0");
    }
    return number;
}

static void natural_random(Rng *rng, uint64_t *number, size_t width)
{
    size_t used = rng_below(rng, (uint32_t)width + 1);
    for (size_t i = 0; i < width; i++)
        number[i] = i >= used ? 0 : rng_chance(rng, 3) ? UINT64_MAX : rng_next(rng) >> rng_below(rng, 64);
}

START_TEST(naturals_are_those_on_paper)
{
    Rng rng = {7};
    for (int round = 0; round < 300; round++) {
        enum { MOST = 4 };
        size_t width = 1 + rng_below(&rng, MOST);
        uint64_t a[MOST], b[MOST], sum[MOST], limit[MOST + 1] = {0};
        natural_random(&rng, a, width);
        natural_random(&rng, b, width);
        natural_random(&rng, sum, width);
        limit[width] = 1;
        bool product = rng_chance(&rng, 2);
        g_autofree char *pa = paper_number(a, width), *pb = paper_number(b, width), *before = paper_number(sum, width),
                        *past = paper_number(limit, width + 1);
        g_autofree char *more = product ? paper_product(pa, pb) : g_strdup(pb), *wanted = paper_sum(before, more);
        bool fits = product ? natural_add_product(sum, a, b, width) : natural_add(sum, b, width);
        int longer = (strlen(wanted) > strlen(past)) - (strlen(wanted) < strlen(past));
        ck_assert_int_eq(fits, (longer ? longer : strcmp(wanted, past)) < 0);
        g_autofree char *text = natural_text(sum, width);
        if (fits) ck_assert_str_eq(text, wanted);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("base");
    TEST_CASE(suite, sums_are_exact_beyond_128_bits);
    TEST_CASE(suite, bitset_each_visits_members_in_order);
    TEST_CASE(suite, arena_keeps_what_it_gave);
    TEST_CASE(suite, vec_grows);
    TEST_CASE(suite, restarted_budgets_share_out_as_new_ones);
    TEST_CASE(suite, budget_ends_by_time_flag_and_count);
    TEST_CASE(suite, what_one_thread_may_take_is_not_given_to_another);
    TEST_CASE(suite, parts_by_work_end_at_the_same_step);
    TEST_CASE(suite, all_that_is_left_is_left_by_the_clock);
    TEST_CASE(suite, rng_repeats_and_stays_below);
    TEST_CASE(suite, shown_text_has_nothing_a_terminal_obeys);
    TEST_CASE(suite, quoted_ids_come_back);
    TEST_CASE(suite, shown_formats_are_those_of_printf);
    TEST_CASE(suite, inputs_end_at_their_limits);
    TEST_CASE(suite, inputs_give_every_byte_once);
    TEST_CASE(suite, excerpts_are_valid_text);
    TEST_CASE(suite, naturals_are_those_on_paper);
    return test_run(suite);
}
