# SPDX-License-Identifier: Apache-2.0
"""Connects Wren's sources with learn.c.

Each edit finds one place by a pattern. If a pattern fits no place, or several, the edit fails and names it."""

import re
import shutil
from pathlib import Path

HERE = Path(__file__).parent
LEARNING = HERE / "learning"  # what Wren gets
ARGUMENTS = range(17)  # calls have opcodes of their own for 0 to 16 arguments


class EditError(Exception):
    """A source of Wren that has changed."""


def replace(path: Path, pattern: str, text: str) -> None:
    """Replaces the only match of a pattern. In the text, MATCH stands for what matched."""
    source = path.read_text()
    matches = list(re.finditer(pattern, source, re.MULTILINE | re.DOTALL))
    if len(matches) != 1:
        raise EditError(f"{path.name}: {len(matches)} places fit {pattern!r}, not 1: Wren has changed, "
                        "so use the commit that measure.py names")
    m = matches[0]
    path.write_text(source[: m.start()] + text.replace("MATCH", m.group()) + source[m.end() :])


def cases(prefix: str) -> str:
    return "\n".join(f"    CASE_CODE({prefix}_{n}):" for n in ARGUMENTS)


OPERATORS = {"ADD": "+", "SUBTRACT": "-", "MULTIPLY": "*", "DIVIDE": "/"}
COMPARISONS = {"LESS": "<", "MORE": ">", "AT_MOST": "<=", "AT_LEAST": ">=", "EQUAL": "=="}


def new_opcodes() -> list[tuple[str, int]]:
    """The opcodes with what they do to the height of the stack. All have two bytes of operands."""
    codes = [("COUNT_LOOP", 0), ("COUNT_JUMP_IF", -1), ("GET_FIELD", 0)]
    codes += [(f"NUM_{name}", -1) for name in OPERATORS | COMPARISONS]
    codes += [(f"{prefix}_{n}", -n) for prefix in ("COUNT_CALL", "CALL_BLOCK", "CALL_PRIMITIVE") for n in ARGUMENTS]
    return codes


def operator(name: str, result: str) -> str:
    return f"""
    CASE_CODE(NUM_{name}):
      args = fiber->stackTop - 2;
      if (!IS_NUM(args[0]) || !IS_NUM(args[1])) GENERALIZE(CODE_CALL_1);
      args[0] = {result};
      fiber->stackTop--;
      ip += 2;
      DISPATCH();
"""


def operators() -> str:
    text = [operator(n, f"NUM_VAL(AS_NUM(args[0]) {op} AS_NUM(args[1]))") for n, op in OPERATORS.items()]
    text += [operator(n, f"BOOL_VAL(AS_NUM(args[0]) {op} AS_NUM(args[1]))") for n, op in COMPARISONS.items()]
    return "".join(text)


# A call that counts. A hit needs no look-up, since the site has the method.
COUNTED = f"""
{cases("COUNT_CALL")}
    {{
      numArgs = instruction - CODE_COUNT_CALL_0 + 1;
      ip += 2;
      LEARN_AUDIT(fn, ip);
      args = fiber->stackTop - numArgs;
      classObj = wrenGetClassInline(vm, args[0]);
      LearnSite* site = LEARN_SITE(fn, ip);
      if (site->classObj == classObj)
      {{
        pa_count1(site->count);
        method = &site->method;
        goto callMethod;
      }}
      symbol = (uint16_t)((ip[-2] << 8) | ip[-1]);
      learnMiss(fn, ip, classObj);
      goto completeCall;
    }}
"""

# Calls that the profile has specialized. GENERALIZE makes one a plain call for ever, and runs that.
SPECIALIZED = f"""
    #define GENERALIZE(code)                                                   \\
        do                                                                     \\
        {{                                                                      \\
          instruction = (Code)(code);                                          \\
          goto generalize;                                                     \\
        }} while (false)

    generalize:
      learnGeneralize(fn, ip - 1, instruction);
      goto plainCall;

    CASE_CODE(GET_FIELD):
    {{
      LearnSite* site = LEARN_SITE(fn, ip + 2);
      Value receiver = PEEK();
      if (!IS_OBJ(receiver) || AS_OBJ(receiver)->classObj != site->classObj) GENERALIZE(CODE_CALL_0);
      fiber->stackTop[-1] = AS_INSTANCE(receiver)->fields[site->field];
      ip += 2;
      DISPATCH();
    }}

{cases("CALL_BLOCK")}
    {{
      numArgs = instruction - CODE_CALL_BLOCK_0 + 1;
      LearnSite* site = LEARN_SITE(fn, ip + 2);
      if (wrenGetClassInline(vm, fiber->stackTop[-numArgs]) != site->classObj) GENERALIZE(CODE_CALL_0 + numArgs - 1);
      ip += 2;
      STORE_FRAME();
      wrenCallFunction(vm, fiber, site->method.as.closure, numArgs);
      LOAD_FRAME();
      DISPATCH();
    }}

{cases("CALL_PRIMITIVE")}
    {{
      numArgs = instruction - CODE_CALL_PRIMITIVE_0 + 1;
      args = fiber->stackTop - numArgs;
      LearnSite* site = LEARN_SITE(fn, ip + 2);
      if (wrenGetClassInline(vm, args[0]) != site->classObj) GENERALIZE(CODE_CALL_0 + numArgs - 1);
      ip += 2;
      if (site->method.as.primitive(vm, args))
      {{
        fiber->stackTop -= numArgs - 1;
        DISPATCH();
      }}
      goto switchFiber;
    }}
""" + operators()

BRANCHES = """
    CASE_CODE(COUNT_LOOP):
    {
      uint16_t offset = READ_SHORT();
      pa_count1(fn->learn.backedges);
      ip -= offset;
      DISPATCH();
    }

    CASE_CODE(COUNT_JUMP_IF):
    {
      uint16_t offset = READ_SHORT();
      LEARN_AUDIT(fn, ip);
      LearnSite* site = LEARN_SITE(fn, ip);
      Value condition = POP();
      if (wrenIsFalsyValue(condition))
      {
        pa_count1(site->taken);
        ip += offset;
      }
      else pa_count1(site->notTaken);
      DISPATCH();
    }

    MATCH"""

ENTRY = """MATCH
  pa_counter* calls = closure->fn->learn.calls;
  if (calls == LEARN_LATER) calls = learnSetUp(vm, closure->fn);
  if (LEARN_COUNTS(calls)) pa_count1(calls);
"""


def edit_values(vm: Path) -> None:
    header, values = vm / "wren_value.h", vm / "wren_value.c"
    replace(header, r'#include "wren_utils\.h"', 'MATCH\n#include "learn.h"')
    replace(header, r"FnDebug\* debug;\s*\} ObjFn;", "LearnFn learn;\n  MATCH")
    replace(header, r"struct sObjClass\s*\{\s*Obj obj;", "MATCH\n  pa_class* learned;")
    replace(header, r"static inline void wrenAppendCallFrame\(",
            "pa_counter* learnSetUp(WrenVM* vm, ObjFn* fn);\n\nMATCH")
    replace(header, r"frame->ip = closure->fn->code\.data;", ENTRY)
    replace(values, r'#include "wren_vm\.h"', 'MATCH\n#include "learn_wren.h"')
    replace(values, r"classObj->superclass = NULL;", "MATCH\n  classObj->learned = NULL;")
    replace(values, r"fn->debug = debug;", "MATCH\n  memset(&fn->learn, 0, sizeof fn->learn);")
    replace(values, r"wrenMethodBufferClear\(vm, &\(\(ObjClass\*\)obj\)->methods\);",
            "MATCH\n      learnFreeClass((ObjClass*)obj);")
    replace(values, r"DEALLOCATE\(vm, fn->debug->name\);", "learnFreeFunction(fn);\n      MATCH")
    replace(values, r"wrenGrayBuffer\(vm, &fn->constants\);", "MATCH\n  learnGray(vm, fn);")


def edit_compiler(vm: Path) -> None:
    compiler = vm / "wren_compiler.c"
    replace(compiler, r'#include "wren_vm\.h"', 'MATCH\n#include "learn_wren.h"')
    source = compiler.read_text()
    compiler.write_text(source.replace("getByteCountForArguments", "wrenByteCountForArguments"))
    replace(compiler, r"static int (?=wrenByteCountForArguments)", "int ")
    wide = "".join(f"    case CODE_{name}:\n" for name, _ in new_opcodes())
    replace(compiler, r"case CODE_IMPORT_VARIABLE:\s*return 2;", wide + "    MATCH")
    replace(compiler, r"return compiler->fn;\s*\}\s*(?=// Grammar)", """\
if (compiler->parent == NULL) learnCompiled(compiler->fn);
  else if (compiler->parent->enclosingClass != NULL)
    learnDescribe(compiler->fn, compiler->parent->enclosingClass->name->value,
                  compiler->parent->enclosingClass->inStatic);
  MATCH""")


def edit_interpreter(vm: Path) -> None:
    loop = vm / "wren_vm.c"
    replace(loop, r'#include "wren_vm\.h"', 'MATCH\n#include "learn_wren.h"')
    replace(loop, r"CASE_CODE\(CALL_16\):", "MATCH\n    plainCall:")
    replace(loop, r"CASE_CODE\(SUPER_0\):", COUNTED + SPECIALIZED + "\n    MATCH")
    replace(loop, r"switch \(method->type\)", "callMethod:\n      MATCH")
    replace(loop, r"// An error, fiber switch, or call frame change occurred\.", "switchFiber:\n            MATCH")
    replace(loop, r"CASE_CODE\(JUMP_IF\):", BRANCHES)
    replace(loop, r"createClass\(vm, READ_BYTE\(\), NULL\)", "createClass(vm, READ_BYTE(), fn->module)")
    replace(loop, r"if \(numFields == -1\) bindForeignClass\(vm, classObj, module\);",
            "MATCH\n  learnLoad(classObj, module);")


def edit(wren: Path) -> None:
    """Edits a copy of Wren's sources."""
    vm = wren / "src" / "vm"
    with (vm / "wren_opcodes.h").open("a") as f:
        f.writelines(f"OPCODE({name}, {effect})\n" for name, effect in new_opcodes())
    edit_values(vm)
    edit_compiler(vm)
    edit_interpreter(vm)
    for name in ("learn.h", "learn_wren.h", "learn.c"):
        shutil.copy(LEARNING / name, vm / name)
