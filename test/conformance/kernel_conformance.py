"""Runs jupyter_kernel_test against the installed kernel, with every optional sample filled in."""
import unittest

import jupyter_kernel_test


class WarpcellTests(jupyter_kernel_test.KernelTests):
    kernel_name = "warpcell"
    language_name = "typescript"
    file_extension = ".ts"
    code_hello_world = 'console.log("hello, world")'
    code_stderr = 'console.error("to stderr")'
    completion_samples = [{"text": "Number.parseI", "matches": {"parseInt"}}, {"text": "Math.hyp", "matches": {"hypot"}}]
    complete_code_samples = ["1 + 1", 'console.log("x")', "function f() {\n  return 1;\n}", "const t: number[] = [1, 2]"]
    incomplete_code_samples = ["function f() {", "[1,", "`open", "if (true) {"]
    invalid_code_samples = ["const const = 1", "let 1x = 2;"]
    code_page_something = "Math.max?"
    code_generate_error = 'throw new Error("on purpose")'
    code_execute_result = [{"code": "6 * 7", "result": "42"}, {"code": '"a" + "b"', "result": "'ab'"}, {"code": "[1, 2]", "result": "[ 1, 2 ]"}]
    code_display_data = [{"code": "display(html`<b>bold</b>`)", "mime": "text/html"}]
    code_history_pattern = "6?*7"
    supported_history_operations = ("tail", "range", "search")
    code_inspect_sample = "Math.max"
    code_clear_output = "display.clear()"


class WarpcellWelcome(jupyter_kernel_test.IopubWelcomeTests):
    kernel_name = "warpcell"
    support_iopub_welcome = True


if __name__ == "__main__":
    unittest.main(verbosity=2)
