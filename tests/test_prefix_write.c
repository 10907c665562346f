/* Prefixes as files: what is read back is the prefix. */
#include "net/gen.h"
#include "report/prefix_why.h"
#include "report/prefix_svg.h"
#include "report/prefix_write.h"
#include "small_net.h"
#include "test.h"
#include "unfold/unfold.h"

#include <json-glib/json-glib.h>

static Prefix *classic(const Net *net)
{
    UnfoldOptions options = {.relation = RELATION_CLASSIC, .order = ORDER_ERV, .cutoffs = true};
    Budget budget = budget_unlimited();
    Prefix *prefix = unfold(net, &options, &budget, NULL);
    ck_assert_ptr_nonnull(prefix);
    return prefix;
}

static Net *sample(uint64_t seed)
{
    Rng rng = {seed};
    GenRandom options = {.reads = seed % 2, .loops = seed % 3 == 0, .sinks = seed % 5 == 0};
    return gen_random_safe(&rng, &options);
}

static int32_t take(const char **at)
{
    int32_t value;
    memcpy(&value, *at, sizeof value);
    *at += sizeof value;
    return value;
}

START_TEST(mci_reads_back)
{
    for (uint64_t seed = 1; seed <= 100; seed++) {
        g_autoptr(Net) net = sample(seed);
        g_autoptr(Prefix) x = classic(net);
        g_autoptr(GString) out = g_string_new(NULL);
        prefix_write_mci(x, out);
        const char *at = out->str;
        ck_assert_int_eq(take(&at), x->n_conditions);
        ck_assert_int_eq(take(&at), x->n_events);
        for (uint32_t e = 0; e < x->n_events; e++) ck_assert_int_eq(take(&at), x->event_transition[e] + 1);
        uint32_t arcs = 0;
        for (uint32_t c = 0; c < x->n_conditions; c++) {
            ck_assert_int_eq(take(&at), x->condition_place[c] + 1);
            int32_t producer = take(&at);
            ck_assert_int_eq(producer, x->condition_event[c] == PREFIX_BOTTOM ? 0 : x->condition_event[c] + 1);
            for (int32_t consumer, before = 0; (consumer = take(&at)); before = consumer) {
                ck_assert_int_gt(consumer, before);
                PrefixRow pre = prefix_pre(x, (uint32_t)consumer - 1);
                bool found = false;
                for (uint32_t i = 0; i < pre.len; i++) found |= pre.id[i] == c;
                ck_assert(found);
                arcs++;
            }
        }
        ck_assert_uint_eq(arcs, x->pre_start[x->n_events]);
        uint32_t cutoffs = 0;
        for (int32_t e; (e = take(&at)); cutoffs++) {
            uint32_t companion = x->event_companion[e - 1];
            ck_assert_int_eq(take(&at), companion == PREFIX_BOTTOM ? 0 : companion + 1);
        }
        ck_assert_uint_eq(cutoffs, x->n_cutoffs);
        ck_assert_int_eq(take(&at), 0);
        ck_assert_int_eq(take(&at), net->n_places);
        ck_assert_int_eq(take(&at), net->n_transitions);
        int32_t longest = take(&at), seen = 0;
        for (uint32_t p = 0; p < net->n_places; p++) {
            ck_assert_str_eq(at, net_place_id(net, p));
            seen = MAX(seen, (int32_t)strlen(at));
            at += strlen(at) + 1;
        }
        ck_assert_int_eq(*at++, 0);
        for (uint32_t t = 0; t < net->n_transitions; t++) {
            ck_assert_str_eq(at, net_transition_id(net, t));
            seen = MAX(seen, (int32_t)strlen(at));
            at += strlen(at) + 1;
        }
        ck_assert_int_eq(*at++, 0);
        ck_assert_int_eq(longest, seen);
        ck_assert_ptr_eq(at, out->str + out->len);
    }
}
END_TEST

/* An occurrence net unfolds to itself. */
START_TEST(as_a_net_it_unfolds_to_itself)
{
    for (uint64_t seed = 1; seed <= 100; seed++) {
        g_autoptr(Net) net = sample(seed);
        g_autoptr(Prefix) x = classic(net);
        g_autoptr(Net) occurrence = prefix_write_net(x, NULL);
        ck_assert_uint_eq(occurrence->n_places, x->n_conditions);
        UnfoldOptions options = {.relation = RELATION_CLASSIC, .order = ORDER_ERV};
        Budget budget = budget_unlimited();
        g_autoptr(Prefix) again = unfold(occurrence, &options, &budget, NULL);
        ck_assert_int_eq(again->end, ENDING_COMPLETE);
        ck_assert_uint_eq(again->n_events, x->n_events);
        ck_assert_uint_eq(again->n_conditions, x->n_conditions);
    }
}
END_TEST

START_TEST(json_has_every_array)
{
    for (uint64_t seed = 1; seed <= 30; seed++) {
        g_autoptr(Net) net = sample(seed);
        g_autoptr(Prefix) x = classic(net);
        g_autoptr(PrefixPart) all = prefix_part_new(x, PREFIX_NONE, 0);
        g_autoptr(GString) out = g_string_new(NULL);
        prefix_write_json(all, out);
        g_autoptr(JsonParser) parser = json_parser_new();
        ck_assert(json_parser_load_from_data(parser, out->str, (gssize)out->len, NULL));
        JsonObject *root = json_node_get_object(json_parser_get_root(parser));
        JsonArray *events = json_object_get_array_member(root, "events");
        ck_assert_uint_eq(json_array_get_length(events), x->n_events);
        ck_assert_uint_eq(json_array_get_length(json_object_get_array_member(root, "conditions")), x->n_conditions);
        for (uint32_t e = 0; e < x->n_events; e++) {
            JsonObject *event = json_array_get_object_element(events, e);
            ck_assert_int_eq(json_object_get_int_member(event, "size"), x->event_size[e]);
            JsonArray *pre = json_object_get_array_member(event, "pre");
            for (uint32_t i = 0; i < json_array_get_length(pre); i++)
                ck_assert_int_eq(json_array_get_int_element(pre, i), prefix_pre(x, e).id[i]);
        }
    }
}
END_TEST

/* In a row no two boxes overlap, and nothing lies left of the picture. */
static void check_no_overlap(const char *svg)
{
    typedef struct Box {
        double x, y, width;
    } Box;
    g_autoptr(GArray) boxes = g_array_new(FALSE, FALSE, sizeof(Box));
    for (const char *at = svg; (at = strstr(at, "<rect class=")); at++) {
        Box box;
        ck_assert_int_eq(sscanf(strstr(at, " x="), " x=\"%lf\" y=\"%lf\" width=\"%lf\"", &box.x, &box.y, &box.width),
                         3);
        ck_assert(box.x >= -1);
        for (uint32_t i = 0; i < boxes->len; i++) {
            Box other = g_array_index(boxes, Box, i);
            ck_assert(other.y != box.y || other.x + other.width < box.x || box.x + box.width < other.x);
        }
        g_array_append_val(boxes, box);
    }
}

START_TEST(drawings_and_parts)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        g_autoptr(Net) net = sample(seed);
        g_autoptr(Prefix) x = classic(net);
        if (x->n_events + x->n_conditions > 400 || !x->n_events) continue;
        g_autoptr(PrefixPart) all = prefix_part_new(x, PREFIX_NONE, 0), part = prefix_part_new(x, x->n_events / 2, 1);
        g_autoptr(GString) svg = g_string_new(NULL), again = g_string_new(NULL), dot = g_string_new(NULL);
        ck_assert(prefix_svg_print(all, svg, NULL));
        ck_assert(prefix_svg_print(all, again, NULL));
        ck_assert_str_eq(svg->str, again->str);
        check_no_overlap(svg->str);
        prefix_write_dot(all, dot);
        uint32_t boxes = 0;
        for (const char *at = dot->str; (at = strstr(at, "shape=box")); at++) boxes++;
        ck_assert_uint_eq(boxes, x->n_events);
        /* One step away: causes, effects, companions. */
        for (uint32_t e = 0; e < x->n_events; e++) {
            bool near =
                e == part->around || x->event_companion[e] == part->around || x->event_companion[part->around] == e;
            PrefixRow pre = prefix_pre(x, e), mine = prefix_pre(x, part->around);
            for (uint32_t i = 0; i < pre.len; i++) near |= x->condition_event[pre.id[i]] == part->around;
            for (uint32_t i = 0; i < mine.len; i++) near |= x->condition_event[mine.id[i]] == e;
            ck_assert(part->event[e] == near);
        }
        g_string_truncate(svg, 0);
        ck_assert(prefix_svg_print(part, svg, NULL));
        check_no_overlap(svg->str);
    }
    g_autoptr(Net) large = gen_net_of_size("philosophers", 14);
    g_autoptr(Prefix) x = classic(large);
    g_autoptr(PrefixPart) all = prefix_part_new(x, PREFIX_NONE, 0);
    g_autoptr(GString) svg = g_string_new(NULL);
    g_autoptr(GError) error = NULL;
    if (all->n_events + all->n_conditions > PREFIX_SVG_MOST) {
        ck_assert(!prefix_svg_print(all, svg, &error));
        ck_assert_ptr_nonnull(error);
    }
}
END_TEST

START_TEST(events_are_explained)
{
    g_autoptr(Net) net = small_net("p | a: p -> q | b: p -> q | c: q -> p");
    g_autoptr(Prefix) x = classic(net);
    bool initial = false, transitions = false, kept = false;
    for (uint32_t e = 0; e < x->n_events; e++) {
        g_autofree char *why = prefix_why(x, e);
        initial |= strstr(why, "initial") != NULL;
        transitions |= strstr(why, "its transitions") != NULL;
        kept |= strstr(why, "not a cutoff") != NULL;
    }
    ck_assert(initial && transitions && kept);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("prefix files");
    TEST_CASE(suite, mci_reads_back);
    TEST_CASE(suite, as_a_net_it_unfolds_to_itself);
    TEST_CASE(suite, json_has_every_array);
    TEST_CASE(suite, drawings_and_parts);
    TEST_CASE(suite, events_are_explained);
    return test_run(suite);
}
