/* mazurka-solver: runs Z3 for a program that uses libmazurka (smt_process.h). Nothing for people. */
#include "sat/smt_process.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], smt_process_mode) == 0) smt_serve();
    fputs("mazurka-solver: part of libmazurka, which starts it when it needs a solver\n", stderr);
    return 3;
}
