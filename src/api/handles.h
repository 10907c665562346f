/* What is behind the handles of mazurka.h, for the files of this folder and for the commands that go through it.
 *
 * An mz_net is counted: whoever needs it beyond a call keeps it by api_net_keep(). */
#pragma once
#include "api/mazurka.h"

#include "base/budget.h"
#include "program/compile.h"
#include "unfold/prefix.h"
#include "verify/question.h"

#include <assert.h>

/* mazurka.h has numbers of its own for what these tables have. */
_Static_assert(MZ_NONE == NET_NONE && MZ_NONE == PREFIX_NONE && MZ_BOTTOM == PREFIX_BOTTOM, "numbers");
_Static_assert((int)MZ_INHIBIT == ARC_INHIBIT && (int)MZ_VIOLATED == VERDICT_VIOLATED, "arcs and verdicts");
_Static_assert((int)MZ_ENDED_BY_CANCEL == ENDING_STOPPED && (int)MZ_OVERFLOW == ENDING_OVERFLOW, "endings");

/* Every handle begins with its kind, which ends before it is freed: asserts see a freed handle, and a foreign one. */
typedef enum {
    HANDLE_FREED,
    HANDLE_ERROR = 0x6d7a0001,
    HANDLE_LIMITS,
    HANDLE_NET,
    HANDLE_BUILDER,
    HANDLE_INVARIANTS,
    HANDLE_ANSWER,
    HANDLE_PREFIX,
    HANDLE_EXPLORATION,
    HANDLE_COMPARISON,
} Handle;
#define IS_HANDLE(it, of) ((it) != NULL && (it)->handle == HANDLE_##of)
#define END_HANDLE(it, of) (assert(IS_HANDLE(it, of)), (it)->handle = HANDLE_FREED)

struct mz_net {
    Handle handle;
    atomic_int users;
    Compiled *read;
    char *summary;
};

mz_net *api_net_wrap(Compiled *read);
mz_net *api_net_keep(const mz_net *net);
static inline const Net *api_net_inside(const mz_net *net)
{
    return net->read->net;
}

const Prefix *api_prefix_inside(const mz_prefix *prefix);

/* ---- limits ---- */

struct mz_limits {
    Handle handle;
    double seconds;
    uint64_t memory, events;
    unsigned threads;
    mz_cancel_function *cancel;
    mz_line_function *progress, *log;
    void *cancel_data, *progress_data, *log_data;
    StopFlag stop;
    atomic_flag telling; /* the caller is being asked or told something */
    double asked;        /* when it was last asked */
    double started;      /* of a program; 0: each call begins anew */
    uint64_t work;
};

/* The limits are those of a whole program: time began then, memory is that of the process, work is counted on. */
void api_limits_of_program(mz_limits *limits, double started);
/* What a call needs as long as it runs. */
typedef struct Call {
    Budget budget;
    uint64_t work;
} Call;

/* The budget of a call, which is in it; limits may be NULL. */
Budget *api_limits_begin(mz_limits *limits, Call *call);
/* The same for parts with limits of their own: they are measured by the clock, whatever the threads. */
Budget *api_limits_begin_by_clock(mz_limits *limits, Call *call);
static inline unsigned api_limits_threads(const mz_limits *limits)
{
    return limits ? limits->threads : 1;
}

/* ---- errors ---- */

/* Hands a GError, which it takes, to a caller of the library, who may not want it; always NULL. */
void *api_error_hand(GError *from, mz_error **to);
void *api_error_say(mz_error **to, mz_code code, const char *format, ...) G_GNUC_PRINTF(3, 4);
