package entries

// cures explains the failed assumption behind a trap reason, followed by the remedy. In most cases the remedy is a
// training run that does what production does.
var cures = map[string]string{
	"null_check":                     "null came where none was seen: train with it",
	"null_assert":                    "an object came where only null was seen: train with it",
	"range_check":                    "an index was outside of its array: avoid exceptions as control flow",
	"class_check":                    "another class came than was seen: train with all classes",
	"array_check":                    "an array of another type was stored to than was seen: train with all types",
	"intrinsic":                      "an intrinsic met arguments that it leaves to the method: nothing to do",
	"bimorphic":                      "a third class came where two were seen: train with all classes",
	"profile_predicate":              "a loop ran otherwise than was seen: train with such loops",
	"unloaded":                       "a class was not loaded when the code was compiled: harmless at the start",
	"uninitialized":                  "a class was not initialised when the code was compiled: harmless at the start",
	"initialized":                    "a class was initialised meanwhile: harmless at the start",
	"unreached":                      "code ran that had not run before: train with it",
	"constraint":                     "something came that the runtime has to handle: nothing to do",
	"div0_check":                     "a division by 0: avoid exceptions as control flow",
	"predicate":                      "a check before a loop failed that stands for all rounds: train with such loops",
	"loop_limit_check":               "a loop ended near the limits of int: nothing to do",
	"speculate_class_check":          "another class came than was seen: train with all classes",
	"speculate_null_check":           "null came where none was seen: train with it",
	"unstable_if":                    "a branch went a way that it had not gone before: train with both ways",
	"unstable_fused_if":              "a branch went a way that it had not gone before: train with both ways",
	"not_compiled_exception_handler": "an exception was caught that had not come before: train with it",
	"age":                            "the code was compiled again after many calls: nothing to do",
	ManyTraps:                        "several reasons at one point: train with what production does",
}

// TrapCure explains a trap reason and its remedy; "" if the reason is unknown.
func TrapCure(reason string) string {
	if cure, ok := cures[reason]; ok {
		return cure
	}
	return cures[firstReason(reason)]
}
