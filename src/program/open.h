/* Opens a net of any kind, a program included. What a file is, is decided by its content: what begins as a format of
 * net/formats.def does is a net; a text that begins like a program (after at most 64 KB of comments), or any other file
 * named .mzk, is a program. */
#pragma once
#include "colour/net.h"
#include "net/read.h"
#include "program/compile.h"

typedef struct OpenOptions {
    const char *net_id;   /* which <net> of several; NULL: the only one */
    Budget *budget;       /* reading ends with it; NULL: no limits */
    ColourNet **coloured; /* NULL: coloured nets are expanded; else they go there as they are, and there is no net */
    bool merged;          /* coloured nets by colour_open_merged() */
    char **defines;       /* NAME=VALUE for a program's parameters; NULL: none. An error for a net */
} OpenOptions;

/* path "-" is standard input. options may be NULL. A net gives a Compiled without expressions. */
Compiled *open_file(const char *path, const OpenOptions *options, GError **error);
/* The same from an open input, whose budget the options have; so they are not NULL. */
Compiled *open_input(Input *input, const OpenOptions *options, GError **error);
/* Only the net. */
Net *open_net(const char *path, const OpenOptions *options, GError **error);

/* The length of the ending by which a file in a folder is taken for a net or a program (".pnml"); 0: it is none. */
size_t open_ending(const char *path);
