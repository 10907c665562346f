/* Families with counts: buffers, pools, manufacturing. */
#include "net/families.h"
#include "net/rules.h"

Net *family_producer_consumer(const GenCall *call)
{
    Rules *r = rules_new("producer-consumer-%" G_GUINT64_FORMAT, call->values[0]);
    rules_place(r, 1, "resting");
    rules_place(r, 0, "ready");
    rules_place(r, 1, "waiting");
    rules_place(r, 0, "got");
    rules_place(r, 0, "buffer");
    rules_place(r, call->values[0], "room");
    rules_add(r, "produce: resting -> ready");
    rules_add(r, "put: ready room -> resting buffer");
    rules_add(r, "get: waiting buffer -> got room");
    rules_add(r, "consume: got -> waiting");
    return rules_finish(r);
}

Net *family_resource_pool(const GenCall *call)
{
    unsigned n = (unsigned)call->values[0], m = (unsigned)call->values[1];
    Rules *r = rules_new("resource-pool-%u-%u-%" G_GUINT64_FORMAT, n, m, call->values[2]);
    rules_place(r, call->values[2], "pool");
    for (unsigned i = 0; i < n; i++) rules_place(r, 1, "has%u_0", i);
    for (unsigned i = 0; i < n; i++) {
        for (unsigned k = 0; k < m; k++) rules_add(r, "take%u_%u: has%u_%u pool -> has%u_%u", i, k, i, k, i, k + 1);
        rules_add(r, "release%u: has%u_%u -> has%u_0 %u*pool", i, i, m, i, m);
    }
    return rules_finish(r);
}

Net *family_fms(const GenCall *call)
{
    Rules *r = rules_new("fms-%" G_GUINT64_FORMAT, call->values[0]);
    rules_place(r, call->values[0], "raw1");
    rules_place(r, call->values[0], "raw2");
    rules_place(r, 2, "machine1");
    rules_place(r, 1, "machine2");
    rules_add(r, "load1: raw1 machine1 -> work1");
    rules_add(r, "unload1: work1 -> done1 machine1");
    rules_add(r, "load2: raw2 machine2 -> work2");
    rules_add(r, "unload2: work2 -> done2 machine2");
    rules_add(r, "join: 2*done1 done2 -> product");
    rules_add(r, "ship: product -> 2*raw1 raw2");
    rules_add(r, "rework: done1 -> raw1");
    return rules_finish(r);
}

Net *family_kanban(const GenCall *call)
{
    Rules *r = rules_new("kanban-%" G_GUINT64_FORMAT, call->values[0]);
    for (unsigned i = 1; i <= 4; i++) {
        rules_place(r, call->values[0], "card%u", i);
        rules_place(r, 0, "made%u", i);
        rules_place(r, 0, "bad%u", i);
        rules_place(r, 0, "out%u", i);
    }
    for (unsigned i = 1; i <= 4; i++) {
        rules_add(r, "redo%u: made%u -> bad%u", i, i, i);
        rules_add(r, "back%u: bad%u -> made%u", i, i, i);
        rules_add(r, "ok%u: made%u -> out%u", i, i, i);
    }
    rules_add(r, "in: card1 -> made1");
    rules_add(r, "split: out1 card2 card3 -> card1 made2 made3");
    rules_add(r, "merge: out2 out3 card4 -> card2 card3 made4");
    rules_add(r, "out: out4 -> card4");
    return rules_finish(r);
}
