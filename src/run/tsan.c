/* The calls that -fsanitize=thread puts into the program: one per memory access, per atomic operation, per function. */
#include "run/api.h"
#include "run/shadow.h"
#include "run/stub.h"
#include "run/tell.h"

#include <stdatomic.h>

/* ---- functions: the call stack of each thread ---- */

PUBLIC void __tsan_init(void);
PUBLIC void __tsan_func_entry(void *caller);
PUBLIC void __tsan_func_exit(void);

void __tsan_init(void)
{
}

void __tsan_func_entry(void *caller)
{
    Thread *thread = run.current;
    if (!run.active) return;
    if (thread->beyond || run.calls.node.data[thread->call].depth == MAX_CALLS)
        thread->beyond++;
    else
        thread->call = calls_enter(&run.calls, thread->call, (uintptr_t)caller);
}

void __tsan_func_exit(void)
{
    Thread *thread = run.current;
    if (!run.active) return;
    if (thread->beyond)
        thread->beyond--;
    else
        thread->call = run.calls.node.data[thread->call].parent;
}

/* ---- plain accesses ---- */

static bool on_own_stack(uintptr_t address)
{
    return address - (uintptr_t)run.current->stack < STACK_BYTES;
}

/* Thread-local variables of all threads have one address, as the system sees one thread. */
static bool is_local(uintptr_t address)
{
    enum { AROUND = 1 << 16 };
    uintptr_t pointer = (uintptr_t)__builtin_thread_pointer();
    return address - (pointer - AROUND) < 2 * AROUND;
}

static void visible_access(uintptr_t address, unsigned size, bool write, uintptr_t pc, const Registers *registers)
{
    if (write) {
        run.current->pending.size = (uint8_t)size;
        run_api_step(OP_WRITE, (const void *)address, pc);
    } else {
        run_api_read(OP_READ, address, size, pc, registers);
    }
}

static inline void plain(uintptr_t address, unsigned size, bool write, uintptr_t pc, const Registers *registers)
{
    if (!run.active) return;
    if (size > 8 || address % 8 + size > 8) {
        tsan_range((const void *)address, size, write, pc);
        return;
    }
    if (is_local(address)) {
        if (write) run_api_changed();
        return;
    }
    shadow_access(address, size, write, false, pc);
    if (!write && ++run.current->effort > MUCH_EFFORT) scheduler_give_way();
    if (run.settings.visible_memory && !on_own_stack(address))
        visible_access(address, size, write, pc, registers);
    else if (write && !on_own_stack(address))
        run_api_changed();
}

#define WRITE(name, size)                                                                                              \
    PUBLIC void name(void *address);                                                                                   \
    void name(void *address)                                                                                           \
    {                                                                                                                  \
        plain((uintptr_t)address, size, true, HERE, NULL);                                                             \
    }
#define READ(name, size)                                                                                               \
    PUBLIC void name(void *address);                                                                                   \
    void name(void *address)                                                                                           \
    {                                                                                                                  \
        plain((uintptr_t)address, size, false, HERE, NULL);                                                            \
    }
#define ACCESS(size)                                                                                                   \
    WRITE(__tsan_write##size, size)                                                                                    \
    WRITE(__tsan_unaligned_write##size, size)                                                                          \
    READ(__tsan_unaligned_read##size, size)                                                                            \
    READ(__tsan_volatile_read##size, size)                                                                             \
    WRITE(__tsan_volatile_write##size, size)                                                                           \
    READ(__tsan_unaligned_volatile_read##size, size)                                                                   \
    WRITE(__tsan_unaligned_volatile_write##size, size)

ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)
READ(__tsan_read16, 16)
READ(__tsan_vptr_read, 8)

PUBLIC void __tsan_vptr_update(void **address, void *value);
PUBLIC void __tsan_read_range(void *address, unsigned long size);
PUBLIC void __tsan_write_range(void *address, unsigned long size);

void __tsan_vptr_update(void **address, void *value)
{
    (void)value;
    plain((uintptr_t)address, 8, true, HERE, NULL);
}

void tsan_range(const void *start, size_t bytes, bool write, uintptr_t pc)
{
    uintptr_t address = (uintptr_t)start;
    while (bytes) {
        size_t part = 8 - address % 8 < bytes ? 8 - address % 8 : bytes;
        plain(address, (unsigned)part, write, pc, NULL);
        address += part;
        bytes -= part;
    }
}

void __tsan_read_range(void *address, unsigned long size)
{
    tsan_range(address, size, false, HERE);
}

void __tsan_write_range(void *address, unsigned long size)
{
    tsan_range(address, size, true, HERE);
}

/* ---- atomics ---- */

static void atomic(OpKind kind, uintptr_t address, unsigned size, int order, uintptr_t pc, const Registers *registers)
{
    Pending *p = &run.current->pending;
    uint64_t mask = size == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * size) - 1;
    p->operand &= mask;
    p->expected &= mask;
    p->memory_order = (uint8_t)order;
    p->size = (uint8_t)size;
    shadow_access(address, size, kind != OP_LOAD, true, pc);
    if (kind == OP_STORE)
        run_api_step(OP_STORE, (const void *)address, pc);
    else
        run_api_read(kind, address, size, pc, registers);
}

/* Before main() there is one thread: operations just happen. */
static uint64_t alone(OpKind kind, uintptr_t address, unsigned size)
{
    Pending *p = &run.thread[0].pending;
    uint64_t old = 0, value;
    __builtin_memcpy(&old, (void *)address, size);
    value = kind == OP_UPDATE ? p->update(old, p->operand) : p->operand;
    if (kind == OP_COMPARE && old != p->expected) return old;
    if (kind != OP_LOAD) __builtin_memcpy((void *)address, &value, size);
    return old;
}

static uint64_t any(OpKind kind, uintptr_t address, unsigned size, int order, uintptr_t pc, const Registers *registers)
{
    if (!run.active) return alone(kind, address, size);
    atomic(kind, address, size, order, pc, registers);
    return run.current->pending.old;
}

static Pending *operands(void)
{
    return run.active ? &run.current->pending : &run.thread[0].pending;
}

#define UPDATES(X)                                                                                                     \
    X(exchange, operand)                                                                                               \
    X(fetch_add, old + operand)                                                                                        \
    X(fetch_sub, old - operand)                                                                                        \
    X(fetch_and, old &operand)                                                                                         \
    X(fetch_or, old | operand)                                                                                         \
    X(fetch_xor, old ^ operand)                                                                                        \
    X(fetch_nand, ~(old & operand))

#define UPDATE_FUNCTION(name, expression)                                                                              \
    static uint64_t update_##name(uint64_t old, uint64_t operand)                                                      \
    {                                                                                                                  \
        (void)old;                                                                                                     \
        return expression;                                                                                             \
    }
UPDATES(UPDATE_FUNCTION)

#define UNUSED_3 (void)b, (void)c, (void)d

#define READ_STUB(size)                                                                                                \
    BODY(void, __tsan_read##size, tsan_read_##size)                                                                    \
    {                                                                                                                  \
        (void)a, UNUSED_3;                                                                                             \
        plain(address, size, false, PC, registers);                                                                    \
    }
READ_STUB(1)
READ_STUB(2)
READ_STUB(4)
READ_STUB(8)

#define LOAD(bits)                                                                                                     \
    BODY(uint64_t, __tsan_atomic##bits##_load, tsan_load_##bits)                                                       \
    {                                                                                                                  \
        UNUSED_3;                                                                                                      \
        return any(OP_LOAD, address, bits / 8, (int)a, PC, registers);                                                 \
    }
/* What a compare-and-swap found is written where its expectation was: in a list that is about to be shared, say. */
static void found(uintptr_t address, uint64_t value, unsigned size, uintptr_t pc)
{
    if (run.active && !on_own_stack(address) && !is_local(address)) shadow_range(address, size, true, pc);
    if (!on_own_stack(address)) run_api_changed();
    __builtin_memcpy((void *)address, &value, size);
}

#define COMPARE(bits, name)                                                                                            \
    BODY(int, __tsan_atomic##bits##_compare_exchange_##name, tsan_##name##_##bits)                                     \
    {                                                                                                                  \
        (void)d;                                                                                                       \
        uint64_t expected = 0;                                                                                         \
        __builtin_memcpy(&expected, (void *)(uintptr_t)a, bits / 8);                                                   \
        operands()->expected = expected;                                                                               \
        operands()->operand = b;                                                                                       \
        uint64_t old = any(OP_COMPARE, address, bits / 8, (int)c, PC, registers);                                      \
        if (old != expected) found((uintptr_t)a, old, bits / 8, PC);                                                   \
        return old == expected;                                                                                        \
    }
#define COMPARE_VALUE(bits)                                                                                            \
    BODY(uint64_t, __tsan_atomic##bits##_compare_exchange_val, tsan_val_##bits)                                        \
    {                                                                                                                  \
        (void)d;                                                                                                       \
        operands()->expected = a & (UINT64_MAX >> (64 - bits));                                                        \
        operands()->operand = b;                                                                                       \
        return any(OP_COMPARE, address, bits / 8, (int)c, PC, registers);                                              \
    }
#define UPDATE(bits, name)                                                                                             \
    BODY(uint64_t, __tsan_atomic##bits##_##name, tsan_##name##_##bits)                                                 \
    {                                                                                                                  \
        (void)c, (void)d;                                                                                              \
        operands()->update = update_##name;                                                                            \
        operands()->operand = a;                                                                                       \
        return any(OP_UPDATE, address, bits / 8, (int)b, PC, registers);                                               \
    }
#define STORE(bits)                                                                                                    \
    PUBLIC void __tsan_atomic##bits##_store(uintptr_t address, uint64_t value, int order);                             \
    void __tsan_atomic##bits##_store(uintptr_t address, uint64_t value, int order)                                     \
    {                                                                                                                  \
        operands()->operand = value;                                                                                   \
        any(OP_STORE, address, bits / 8, order, HERE, NULL);                                                           \
    }
#define UPDATE_8(name, expression) UPDATE(8, name)
#define UPDATE_16(name, expression) UPDATE(16, name)
#define UPDATE_32(name, expression) UPDATE(32, name)
#define UPDATE_64(name, expression) UPDATE(64, name)
#define ATOMICS(bits)                                                                                                  \
    LOAD(bits)                                                                                                         \
    STORE(bits)                                                                                                        \
    COMPARE(bits, strong)                                                                                              \
    COMPARE(bits, weak)                                                                                                \
    COMPARE_VALUE(bits)                                                                                                \
    UPDATES(UPDATE_##bits)

ATOMICS(8)
ATOMICS(16)
ATOMICS(32)
ATOMICS(64)

/* Called for += of an atomic double. Exceptions of arithmetic stay as they are. */
PUBLIC void __atomic_feraiseexcept(int exceptions);
void __atomic_feraiseexcept(int exceptions)
{
    (void)exceptions;
}

/* Executions are sequentially consistent: fences are for data races alone. */
PUBLIC void __tsan_atomic_thread_fence(int order);
PUBLIC void __tsan_atomic_signal_fence(int order);
void __tsan_atomic_thread_fence(int order)
{
    uintptr_t acquires = order == memory_order_release || order == memory_order_relaxed ? 0 : FENCE_ACQUIRES;
    if (!run.active || order == memory_order_relaxed) return;
    run.current->pending.pc = HERE;
    scheduler_silent(run.current, OP_FENCE, acquires, EVENT_NONE);
    if (order != memory_order_acquire && order != memory_order_consume) run.current->fence = run.current->last;
}
void __tsan_atomic_signal_fence(int order)
{
    (void)order;
}
