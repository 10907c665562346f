# Tool-info module for BenchExec: `mazurka check NET [options]`, verdict from the exit code and the first line.
import benchexec.result as result
import benchexec.tools.template


class Tool(benchexec.tools.template.BaseTool2):
    """mazurka check: deadlock and reachability of Petri nets and concurrent programs"""

    def executable(self, tool_locator):
        return tool_locator.find_executable("mazurka")

    def name(self):
        return "Mazurka"

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="mazurka")

    def cmdline(self, executable, options, task, rlimits):
        limits = []
        if rlimits.walltime:
            limits += ["--time", str(max(1, int(rlimits.walltime * 0.98) - 1))]
        if rlimits.memory:
            limits += ["--memory", str(int(rlimits.memory / 1048576 * 0.95))]
        return [executable, "check", "--quiet"] + limits + options + [task.single_input_file]

    def determine_result(self, run):
        code = run.exit_code.value
        if code == 0:
            return result.RESULT_TRUE_PROP
        if code == 1:
            return result.RESULT_FALSE_PROP
        if code == 2:
            return result.RESULT_UNKNOWN
        return result.RESULT_ERROR
