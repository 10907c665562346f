#include "base/ending.h"

const char *ending_text(Ending ending)
{
    switch (ending) {
    case ENDING_TIME: return "time limit";
    case ENDING_MEMORY: return "memory limit";
    case ENDING_EVENTS: return "event limit";
    case ENDING_STOPPED: return "stopped";
    case ENDING_UNSAFE: return "unsafe";
    case ENDING_UNBOUNDED: return "unbounded";
    case ENDING_ENDLESS: return "no end without cutoffs";
    case ENDING_REFUTED: return "relation refuted";
    case ENDING_OVERFLOW: return "a token count passes 2^64 - 1";
    case ENDING_COMPLETE:
    case ENDING_GOAL: break;
    }
    return "";
}
