package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// An edit replaces an anchor, which must occur a known number of times.
type edit struct {
	anchor, by string
	times      int
}

// edits change the VM's files.
var edits = map[string][]edit{
	"function.go": {addAfter("\tstringConstants []string\n", "\tprofile protoProfile\n")},
	"compile.go":  {addAfter("\tproto = context.Proto\n", "\tprofileChunk(proto)\n")},
	"state.go":    {countCalls(2)},
	"vm.go": {
		countCalls(2),
		{"\n\t\tinst = cf.Fn.Proto.Code[cf.Pc]\n", "\n\t\to := &cf.Fn.Proto.profile.ops[cf.Pc]\n\t\tinst = o.inst\n", 2},
		{"if jumpTable[int(inst>>26)](L, inst, baseframe) == 1 {", "if o.handler(L, inst, baseframe) == 1 {", 2},
	},
}

// addAfter adds text after an anchor that occurs once.
func addAfter(anchor, text string) edit { return edit{anchor, anchor + text, 1} }

// addBefore adds text before an anchor that occurs once.
func addBefore(anchor, text string) edit { return edit{anchor, text + anchor, 1} }

// countCalls counts where a frame of a Lua function is set up.
func countCalls(times int) edit {
	const anchor = "nargs := cf.NArgs\n"
	return edit{anchor, anchor + "if w := proto.profile.calls; w != nil {\nw.Count1()\n}\n", times}
}

// A handler is made of the VM's handler of an opcode by edits.
type handler struct {
	name, opcode string
	edits        []edit
}

const (
	skipsJump  = "\t\t\tif v == A {\n\t\t\t\tcf.Pc++\n\t\t\t}\n"
	testJump   = "if LVAsBool(reg.Get(RA)) == (C == 0) {\n\t\t\t\tcf.Pc++\n\t\t\t}\n"
	testAssign = "if value := reg.Get(lbase + B); LVAsBool(value) != (C == 0) {\n"
	pushes     = "\t\t\t// this section is inlined by go-inline\n" +
		"\t\t\t// source function is 'func (ls *LState) pushCallFrame("
	// The handlers test the most frequent type themselves.
	countCallee = "if callable == nil || callable.IsG || !hit(cf, callable.Proto.profile.callee) {\n" +
		"arriveCallee(cf, callable)\n}\n"
	countBackedge = "cf.Fn.Proto.profile.backedges.Count1()\n"
)

var countBranch = []edit{addBefore(skipsJump, "branch(cf, v != A)\n")}

// countField counts the kind of a container with a field.
func countField(container string) string {
	return "if _, ok := " + container + ".(*LTable); !ok || !hit(cf, tableType) {\n" +
		"arriveField(cf, " + container + ")\n}\n"
}

// handlers are those that count.
var handlers = []handler{
	{"countEqual", "OP_EQ", countBranch},
	{"countLess", "OP_LT", countBranch},
	{"countLessOrEqual", "OP_LE", countBranch},
	{"countTest", "OP_TEST", []edit{{testJump,
		"skip := LVAsBool(reg.Get(RA)) == (C == 0)\nbranch(cf, !skip)\nif skip {\ncf.Pc++\n}\n", 1}}},
	{"countTestSet", "OP_TESTSET", []edit{{testAssign,
		"value := reg.Get(lbase + B)\nassign := LVAsBool(value) != (C == 0)\nbranch(cf, assign)\nif assign {\n", 1}}},
	{"countCall", "OP_CALL", []edit{addBefore(pushes, countCallee)}},
	{"countTailCall", "OP_TAILCALL", []edit{addBefore("\t\t\tif callable == nil {\n", countCallee)}},
	{"countForLoop", "OP_FORLOOP", []edit{addBefore("cf.Pc += Sbx\n", countBackedge)}},
	{"countIteratorLoop", "OP_TFORLOOP", []edit{addBefore("cf.Pc += int(pc&0x3ffff) - opMaxArgSbx\n", countBackedge)}},
	{"countGetTable", "OP_GETTABLE",
		[]edit{addBefore("v := L.getField(", "arriveIndex(cf, reg.Get(lbase+B), L.rkValue(C))\n")}},
	{"countGetField", "OP_GETTABLEKS", []edit{addBefore("v := L.getFieldString(", countField("reg.Get(lbase+B)"))}},
	{"countSetTable", "OP_SETTABLE", []edit{addBefore("L.setField(", "arriveIndex(cf, reg.Get(RA), L.rkValue(B))\n")}},
	{"countSetField", "OP_SETTABLEKS", []edit{addBefore("L.setFieldString(", countField("reg.Get(RA)"))}},
	{"countSelf", "OP_SELF", []edit{addBefore("v := L.getFieldString(", countField("selfobj"))}},
}

// arithEdits make countArith of opArith, which is a named function.
var arithEdits = []edit{
	{"func opArith(", "func countArith(", 1},
	{"\tif ok1 && ok2 {\n", "\tif ok1 && ok2 {\nif !hit(cf, numbersType) {\nmiss(cf, numbersType)\n}\n", 1},
	{"\t} else {\n\t\tv := objectArith(", "\t} else {\narriveKinds(cf, lhs, rhs)\nv := objectArith(", 1},
}

// editVM edits the copy of the VM in dir.
func editVM(dir string) error {
	text, err := os.ReadFile(filepath.Join(dir, "vm.go"))
	if err != nil {
		return err
	}
	counting, err := countingHandlers(string(text))
	if err != nil {
		return err
	}
	if err := writeFile(filepath.Join(dir, "counting.go"), []byte(counting)); err != nil {
		return err
	}
	for name, all := range edits {
		path := filepath.Join(dir, name)
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		edited, err := apply(name, string(text), all)
		if err != nil {
			return err
		}
		if err := writeFile(path, []byte(edited)); err != nil {
			return err
		}
	}
	return nil
}

// apply applies edits to the text of a file.
func apply(file, text string, all []edit) (string, error) {
	for _, e := range all {
		if n := strings.Count(text, e.anchor); n != e.times {
			return "", fmt.Errorf("%s of %s %s has the text %q %d times instead of %d: adapt the edits to that version",
				file, vmModule, vmVersion, e.anchor, n, e.times)
		}
		text = strings.ReplaceAll(text, e.anchor, e.by)
	}
	return text, nil
}

// countingHandlers returns the source of the handlers that count. vm is the source of the VM's handlers.
func countingHandlers(vm string) (string, error) {
	var source strings.Builder
	source.WriteString("package lua\n")
	arith, err := section("opArith", vm, "func opArith(", "\n}\n")
	if err != nil {
		return "", err
	}
	arith, err = apply("opArith", arith, arithEdits)
	if err != nil {
		return "", err
	}
	source.WriteString("\n" + arith + "}\n")
	for _, h := range handlers {
		begin := "func(L *LState, inst uint32, baseframe *callFrame) int { //" + h.opcode + "\n"
		body, err := section(h.opcode, vm, begin, "\n\t\t},\n")
		if err != nil {
			return "", err
		}
		name := edit{begin, "func " + h.name + strings.TrimPrefix(begin, "func"), 1}
		body, err = apply(h.opcode, body, append([]edit{name}, h.edits...))
		if err != nil {
			return "", err
		}
		source.WriteString("\n" + body + "}\n")
	}
	// The copied bodies set up frames, too.
	frames := countCalls(strings.Count(source.String(), countCalls(0).anchor))
	return apply("the handlers", source.String(), []edit{frames})
}

// section returns the text from begin to end, without end's brace.
func section(name, text, begin, end string) (string, error) {
	_, rest, ok := strings.Cut(text, begin)
	body, _, ended := strings.Cut(rest, end)
	if !ok || !ended {
		return "", fmt.Errorf("vm.go of %s %s lacks %s, which begins with %q: adapt the edits to that version",
			vmModule, vmVersion, name, begin)
	}
	return begin + body + "\n", nil
}
