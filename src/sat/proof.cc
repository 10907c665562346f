#include <glib.h>

#include "sat/proof.h"

#include <cadical.hpp>
#include <glib/gstdio.h>
#include <unistd.h>

namespace
{

class Watch : public CaDiCaL::Terminator
{
  public:
    explicit Watch(Budget *b) : budget(b)
    {
    }
    bool terminate() override
    {
        return budget && budget_look(budget);
    }

  private:
    Budget *budget;
};

SatAnswer solve(const int32_t *literals, size_t len, Budget *budget, const char *path)
{
    CaDiCaL::Solver solver;
    solver.set("quiet", 1);
    Watch watch(budget);
    if (!solver.trace_proof(path)) return SAT_UNKNOWN;
    solver.connect_terminator(&watch);
    bool whole = true;
    for (size_t i = 0; i < len && whole; i++) {
        solver.add(literals[i]);
        whole = literals[i] || !budget || !budget_spent(budget);
    }
    int answer = whole ? solver.solve() : 0;
    solver.close_proof_trace();
    solver.disconnect_terminator();
    return answer == 10 ? SAT_YES : answer == 20 ? SAT_NO : SAT_UNKNOWN;
}

} // namespace

extern "C" SatAnswer sat_proof(const int32_t *literals, size_t len, Budget *budget, uint8_t **proof, size_t *proof_len)
{
    *proof = nullptr;
    *proof_len = 0;
    char *path = nullptr;
    int fd = g_file_open_tmp("mazurka-proof-XXXXXX", &path, nullptr);
    if (fd < 0) return SAT_UNKNOWN;
    close(fd);
    SatAnswer answer = solve(literals, len, budget, path);
    if (answer == SAT_NO) {
        char *data = nullptr;
        gsize size = 0;
        if (g_file_get_contents(path, &data, &size, nullptr)) {
            *proof = reinterpret_cast<uint8_t *>(data);
            *proof_len = size;
        } else {
            answer = SAT_UNKNOWN;
        }
    }
    g_unlink(path);
    g_free(path);
    return answer;
}
