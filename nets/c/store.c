// The core of a small key-value server: shards with a readers-writer lock each, entries with an expiry, a write-ahead log, requests
// parsed from lines, clients that send them, a sweeper that drops what has expired, and a snapshot over all shards.
//
// BUG=1: move takes the locks of two shards in the order of its keys instead of that of the shards: a deadlock.
// BUG=2: get counts its hits in the shard under the read lock: a data race.
// BUG=3: get reads the entry after it gave the lock back, while others change or free it: a data race, a use after free.
#include <assert.h>
#include <ctype.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef CLIENTS
#define CLIENTS 2
#endif
#ifndef SWEEPER
#define SWEEPER 1
#endif
#ifndef SNAPSHOT
#define SNAPSHOT 0
#endif

enum { SHARDS = 2, BUCKETS = 4, KEY = 16, VALUE = 32, LOG = 64, WORDS = 4 };

/* ---- entries ---- */

typedef struct Entry {
    struct Entry *next;
    char key[KEY], value[VALUE];
    int expires; /* 0: never */
    unsigned version;
} Entry;

static void copy_text(char *to, const char *from, size_t size)
{
    size_t n = strlen(from);
    if (n >= size) n = size - 1;
    memcpy(to, from, n);
    to[n] = 0;
}

static Entry *entry_new(const char *key, const char *value, int expires, unsigned version)
{
    Entry *entry = calloc(1, sizeof *entry);
    if (!entry) abort();
    copy_text(entry->key, key, sizeof entry->key);
    copy_text(entry->value, value, sizeof entry->value);
    entry->expires = expires;
    entry->version = version;
    return entry;
}

static uint32_t hash(const char *key)
{
    uint32_t h = 2166136261u;
    for (; *key; key++) h = (h ^ (unsigned char)*key) * 16777619u;
    return h;
}

/* ---- shards ---- */

typedef struct Shard {
    pthread_rwlock_t lock;
    Entry *bucket[BUCKETS];
    int entries;
    unsigned version;
    int hits;           /* BUG 2 */
    atomic_int lookups; /* as it should be */
} Shard;

static void shard_init(Shard *shard)
{
    memset(shard, 0, sizeof *shard);
    pthread_rwlock_init(&shard->lock, NULL);
}

static Entry **shard_find(Shard *shard, const char *key)
{
    Entry **link = &shard->bucket[hash(key) / SHARDS % BUCKETS];
    while (*link && strcmp((*link)->key, key) != 0) link = &(*link)->next;
    return link;
}

static void shard_check(const Shard *shard)
{
    int n = 0;
    for (int b = 0; b < BUCKETS; b++)
        for (const Entry *entry = shard->bucket[b]; entry; entry = entry->next) {
            assert((int)(hash(entry->key) / SHARDS % BUCKETS) == b);
            n++;
        }
    assert(n == shard->entries);
}

static void shard_put(Shard *shard, const char *key, const char *value, int expires)
{
    Entry **link = shard_find(shard, key);
    shard->version++;
    if (*link) {
        copy_text((*link)->value, value, sizeof(*link)->value);
        (*link)->expires = expires;
        (*link)->version = shard->version;
        return;
    }
    *link = entry_new(key, value, expires, shard->version);
    shard->entries++;
}

/* Unlinked, the caller's. NULL when it is not there. */
static Entry *shard_take(Shard *shard, const char *key)
{
    Entry **link = shard_find(shard, key), *entry = *link;
    if (!entry) return NULL;
    *link = entry->next;
    entry->next = NULL;
    shard->entries--;
    shard->version++;
    return entry;
}

static int shard_sweep(Shard *shard, int now)
{
    int dropped = 0;
    for (int b = 0; b < BUCKETS; b++)
        for (Entry **link = &shard->bucket[b]; *link;) {
            Entry *entry = *link;
            if (!entry->expires || entry->expires > now) {
                link = &entry->next;
                continue;
            }
            *link = entry->next;
            shard->entries--;
            dropped++;
            free(entry);
        }
    if (dropped) shard->version++;
    return dropped;
}

static void shard_destroy(Shard *shard)
{
    shard_check(shard);
    for (int b = 0; b < BUCKETS; b++)
        while (shard->bucket[b]) {
            Entry *entry = shard->bucket[b];
            shard->bucket[b] = entry->next;
            free(entry);
        }
    pthread_rwlock_destroy(&shard->lock);
}

/* ---- the log ---- */

typedef enum { LOG_PUT, LOG_DELETE, LOG_MOVE } LogKind;

typedef struct LogLine {
    LogKind kind;
    char key[KEY];
} LogLine;

typedef struct Log {
    pthread_mutex_t mutex;
    LogLine line[LOG];
    int used;
} Log;

static void log_init(Log *log)
{
    memset(log, 0, sizeof *log);
    pthread_mutex_init(&log->mutex, NULL);
}

static void log_add(Log *log, LogKind kind, const char *key)
{
    pthread_mutex_lock(&log->mutex);
    assert(log->used < LOG);
    log->line[log->used].kind = kind;
    copy_text(log->line[log->used].key, key, KEY);
    log->used++;
    pthread_mutex_unlock(&log->mutex);
}

static int log_count(Log *log, LogKind kind)
{
    int n = 0;
    pthread_mutex_lock(&log->mutex);
    for (int i = 0; i < log->used; i++) n += log->line[i].kind == kind;
    pthread_mutex_unlock(&log->mutex);
    return n;
}

/* ---- the store ---- */

typedef struct Store {
    Shard shard[SHARDS];
    Log log;
    atomic_int clock;
} Store;

typedef enum { STORE_OK, STORE_ABSENT, STORE_EXPIRED } StoreResult;

static void store_init(Store *store)
{
    for (int i = 0; i < SHARDS; i++) shard_init(&store->shard[i]);
    log_init(&store->log);
    atomic_init(&store->clock, 1);
}

static Shard *store_shard(Store *store, const char *key)
{
    return &store->shard[hash(key) % SHARDS];
}

static void store_put(Store *store, const char *key, const char *value, int expires)
{
    Shard *shard = store_shard(store, key);
    pthread_rwlock_wrlock(&shard->lock);
    shard_put(shard, key, value, expires);
    log_add(&store->log, LOG_PUT, key);
    pthread_rwlock_unlock(&shard->lock);
}

static void count_lookup(Shard *shard)
{
    if (BUG == 2)
        shard->hits++;
    else
        atomic_fetch_add_explicit(&shard->lookups, 1, memory_order_relaxed);
}

static StoreResult read_entry(const Entry *entry, int now, char *value)
{
    if (!entry) return STORE_ABSENT;
    if (entry->expires && entry->expires <= now) return STORE_EXPIRED;
    copy_text(value, entry->value, VALUE);
    return STORE_OK;
}

static StoreResult store_get(Store *store, const char *key, char *value)
{
    Shard *shard = store_shard(store, key);
    int now = atomic_load(&store->clock);
    pthread_rwlock_rdlock(&shard->lock);
    const Entry *entry = *shard_find(shard, key);
    count_lookup(shard);
    StoreResult result = BUG == 3 ? STORE_OK : read_entry(entry, now, value);
    pthread_rwlock_unlock(&shard->lock);
    if (BUG == 3) result = read_entry(entry, 0, value);
    return result;
}

static StoreResult store_delete(Store *store, const char *key)
{
    Shard *shard = store_shard(store, key);
    pthread_rwlock_wrlock(&shard->lock);
    Entry *entry = shard_take(shard, key);
    if (entry) log_add(&store->log, LOG_DELETE, key);
    pthread_rwlock_unlock(&shard->lock);
    free(entry);
    return entry ? STORE_OK : STORE_ABSENT;
}

/* Two shards, the one with the lower address first. */
static void lock_both(Shard *a, Shard *b)
{
    if (a == b) {
        pthread_rwlock_wrlock(&a->lock);
        return;
    }
    bool swapped = BUG != 1 && b < a;
    pthread_rwlock_wrlock(swapped ? &b->lock : &a->lock);
    pthread_rwlock_wrlock(swapped ? &a->lock : &b->lock);
}

static void unlock_both(Shard *a, Shard *b)
{
    pthread_rwlock_unlock(&a->lock);
    if (a != b) pthread_rwlock_unlock(&b->lock);
}

static StoreResult store_move(Store *store, const char *from, const char *to)
{
    Shard *source = store_shard(store, from), *target = store_shard(store, to);
    lock_both(source, target);
    Entry *entry = shard_take(source, from);
    if (entry) {
        shard_put(target, to, entry->value, entry->expires);
        log_add(&store->log, LOG_MOVE, to);
    }
    unlock_both(source, target);
    free(entry);
    return entry ? STORE_OK : STORE_ABSENT;
}

static int store_sweep(Store *store)
{
    int dropped = 0, now = atomic_load(&store->clock);
    for (int i = 0; i < SHARDS; i++) {
        pthread_rwlock_wrlock(&store->shard[i].lock);
        dropped += shard_sweep(&store->shard[i], now);
        shard_check(&store->shard[i]);
        pthread_rwlock_unlock(&store->shard[i].lock);
    }
    return dropped;
}

/* All shards at one time. */
static int store_snapshot(Store *store)
{
    int entries = 0;
    for (int i = 0; i < SHARDS; i++) pthread_rwlock_rdlock(&store->shard[i].lock);
    for (int i = 0; i < SHARDS; i++) {
        shard_check(&store->shard[i]);
        entries += store->shard[i].entries;
    }
    for (int i = SHARDS; i-- > 0;) pthread_rwlock_unlock(&store->shard[i].lock);
    return entries;
}

static void store_destroy(Store *store)
{
    for (int i = 0; i < SHARDS; i++) shard_destroy(&store->shard[i]);
    pthread_mutex_destroy(&store->log.mutex);
}

/* ---- figures ---- */

typedef struct Figures {
    int entries, lookups;
    unsigned changes;
} Figures;

static Figures store_figures(Store *store)
{
    Figures figures = {0};
    for (int i = 0; i < SHARDS; i++) {
        Shard *shard = &store->shard[i];
        pthread_rwlock_rdlock(&shard->lock);
        figures.entries += shard->entries;
        figures.changes += shard->version;
        figures.lookups += atomic_load(&shard->lookups);
        pthread_rwlock_unlock(&shard->lock);
    }
    return figures;
}

/* ---- requests ---- */

typedef struct Request {
    char word[WORDS][VALUE];
    int n;
} Request;

static bool parse(const char *line, Request *request)
{
    memset(request, 0, sizeof *request);
    while (*line) {
        size_t length = 0;
        while (isspace((unsigned char)*line)) line++;
        while (line[length] && !isspace((unsigned char)line[length])) length++;
        if (!length) break;
        if (request->n == WORDS || length >= VALUE) return false;
        memcpy(request->word[request->n++], line, length);
        line += length;
    }
    return request->n > 0;
}

static const char *const result_words[] = {[STORE_OK] = "ok", [STORE_ABSENT] = "absent", [STORE_EXPIRED] = "expired"};

static const char *handle_put(Store *store, const Request *request)
{
    if (request->n < 3) return "put KEY VALUE [EXPIRES]";
    store_put(store, request->word[1], request->word[2], request->n > 3 ? atoi(request->word[3]) : 0);
    return "ok";
}

static const char *handle_get(Store *store, const Request *request, char *value)
{
    if (request->n < 2) return "get KEY";
    StoreResult result = store_get(store, request->word[1], value);
    return result == STORE_OK ? value : result_words[result];
}

static const char *handle(Store *store, const char *line, char *value)
{
    Request request;
    if (!parse(line, &request)) return "?";
    const char *command = request.word[0];
    if (strcmp(command, "put") == 0) return handle_put(store, &request);
    if (strcmp(command, "get") == 0) return handle_get(store, &request, value);
    if (strcmp(command, "delete") == 0 && request.n > 1) return result_words[store_delete(store, request.word[1])];
    if (strcmp(command, "move") == 0 && request.n > 2)
        return result_words[store_move(store, request.word[1], request.word[2])];
    return "?";
}

/* ---- clients ---- */

typedef struct Client {
    Store *store;
    const char *const *lines;
    int answered, found;
    pthread_t thread;
} Client;

static void *client_main(void *data)
{
    Client *client = data;
    char value[VALUE];
    for (const char *const *line = client->lines; *line; line++) {
        const char *answer = handle(client->store, *line, value);
        assert(strcmp(answer, "?") != 0);
        client->answered++;
        if (answer == value) client->found++;
    }
    return NULL;
}

static void *sweeper_main(void *data)
{
    Store *store = data;
    atomic_fetch_add(&store->clock, 4);
    store_sweep(store);
    return NULL;
}

static void *snapshot_main(void *data)
{
    int entries = store_snapshot(data);
    assert(entries >= 1 && entries <= 4);
    return NULL;
}

/* "apple" and "lime" live in different shards; main checks that. */
static const char *const scripts[][4] = {
    {"move apple lime", "get lime", NULL},
    {"move lime apple", "get lime", NULL},
    {"put fig brown 3", "get fig", NULL},
};

/* ---- the server ---- */

static void start_clients(Client *clients, Store *store)
{
    for (int i = 0; i < CLIENTS; i++) {
        clients[i] = (Client){.store = store, .lines = scripts[i % 3]};
        pthread_create(&clients[i].thread, NULL, client_main, &clients[i]);
    }
}

static void join_clients(Client *clients)
{
    for (int i = 0; i < CLIENTS; i++) {
        pthread_join(clients[i].thread, NULL);
        assert(clients[i].answered == 2);
        assert(clients[i].found <= 1);
    }
}

static void check_end(Store *store)
{
    int entries = store_snapshot(store), moves = log_count(&store->log, LOG_MOVE);
    assert(entries >= 1);
    assert(moves <= CLIENTS);
    assert(log_count(&store->log, LOG_DELETE) == 0);
}

static void print_store(Store *store)
{
    for (int i = 0; i < SHARDS; i++)
        for (int b = 0; b < BUCKETS; b++)
            for (const Entry *entry = store->shard[i].bucket[b]; entry; entry = entry->next)
                printf("shard %d: %s = %s (version %u)\n", i, entry->key, entry->value, entry->version);
}

int main(void)
{
    static Store store;
    static Client clients[CLIENTS];
    pthread_t sweeper, snapshot;
    store_init(&store);
    assert(store_shard(&store, "apple") != store_shard(&store, "lime"));
    store_put(&store, "apple", "red", 0);
    store_put(&store, "lime", "green", 3);
    start_clients(clients, &store);
    if (SWEEPER) pthread_create(&sweeper, NULL, sweeper_main, &store);
    if (SNAPSHOT) pthread_create(&snapshot, NULL, snapshot_main, &store);
    join_clients(clients);
    if (SWEEPER) pthread_join(sweeper, NULL);
    if (SNAPSHOT) pthread_join(snapshot, NULL);
    if (!SWEEPER) check_end(&store);
    Figures figures = store_figures(&store);
    assert(BUG == 2 || figures.lookups == CLIENTS);
    printf("%d entries, %u changes\n", figures.entries, figures.changes);
    print_store(&store);
    store_destroy(&store);
    return 0;
}
