/* Collects nodes and arcs in any order and makes an immutable Net. Cost: linear, about 16 bytes per
 * arc while collecting. Ids are unique among places and among transitions; the readers check what
 * their format demands beyond that. */
#pragma once
#include "base/budget.h"
#include "net/net.h"

typedef struct NetBuilder NetBuilder;
typedef enum { NET_PLACE = 1, NET_TRANSITION = 2, NET_NODE = NET_PLACE | NET_TRANSITION } NetNodeKind;

NetBuilder *net_builder_new(const char *name);
void net_builder_free(NetBuilder *builder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NetBuilder, net_builder_free)

/* Large arrays are made only where its limit of memory leaves room for them (NULL: everywhere). When it ends, what is
 * added is lost and net_builder_finish() fails with ERROR_SPENT. */
void net_builder_set_budget(NetBuilder *builder, Budget *budget);

/* The new node's index, in order of calls. label may be NULL. */
uint32_t net_builder_place(NetBuilder *builder, const char *id, const char *label, uint64_t tokens);
uint32_t net_builder_transition(NetBuilder *builder, const char *id, const char *label);
void net_builder_set_tokens(NetBuilder *builder, uint32_t place, uint64_t tokens);
uint64_t net_builder_tokens(const NetBuilder *builder, uint32_t place);
void net_builder_set_place_label(NetBuilder *builder, uint32_t place, const char *label);
void net_builder_set_transition_label(NetBuilder *builder, uint32_t transition, const char *label);
void net_builder_set_note(NetBuilder *builder, uint32_t transition, const char *note);
/* Where the file draws it. Numbers that are not finite are no position. */
void net_builder_set_position(NetBuilder *builder, NetNodeKind kind, uint32_t node, double x, double y);
void net_builder_set_name(NetBuilder *builder, const char *name);
void net_builder_set_final(NetBuilder *builder, const char *expression);
void net_builder_set_ignored(NetBuilder *builder, const char *text);
/* Takes ownership. */
void net_builder_set_nupn(NetBuilder *builder, NetNupn *nupn);

/* weight > 0. Both nodes exist already. */
void net_builder_arc(NetBuilder *builder, ArcKind kind, uint32_t place, uint32_t transition, uint64_t weight);

/* The node of one of the given kinds with this id of `length` bytes, or NET_NONE; *kind (may be NULL)
 * says which it is. When a place and a transition share the id, the older of the two. */
uint32_t net_builder_find(const NetBuilder *builder, const char *id, size_t length, NetNodeKind kinds,
                          NetNodeKind *kind);
/* Valid until the next node is added. */
const char *net_builder_place_id(const NetBuilder *builder, uint32_t place);
uint32_t net_builder_n_places(const NetBuilder *builder);
uint32_t net_builder_n_transitions(const NetBuilder *builder);

/* NULL and an error (no position) when two places or two transitions share an id, when the sum of
 * merged weights passes 2^64 - 1, or when there are more than 2^29 nodes of a kind, 2^32 - 2 arcs or
 * 4 GiB of names. The builder is only good for net_builder_free() afterwards. */
Net *net_builder_finish(NetBuilder *builder, GError **error);
