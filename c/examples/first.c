/* SPDX-License-Identifier: Apache-2.0 */
/* The tutorial of docs/embedding.md, a VM with one function that learns over its runs. */
#include <profarc.h>
#include <stdio.h>

/* The id distinguishes archives of this VM from all others. Generate yours with uuidgen. */
static const pa_vm vm = {.name = PA_TEXT("tiny VM 1"), .id = {0xb1, 0x5e, 0x07, 0x9a, 0x2c, 0x44, 0x4d, 0x18}};
static const pa_key key = {PA_TEXT("Math"), PA_TEXT("abs"), PA_TEXT("(I)I"), PA_TEXT("")};
static const pa_text bytecodes = PA_TEXT("load 0; ifneg 6; ...");

int main(void) {
	char text[200];
	pa_run *run;
	pa_error e = pa_start("tiny.parc", &vm, &run);
	if (e.code != PA_OK) fprintf(stderr, "without profiles: %s\n", pa_error_text(e, "tiny.parc", text, sizeof text));

	/* Once for each function, before its first call. Its branch is at offset 6 of its bytecodes. */
	pa_function *abs = pa_function_of(run, &key, pa_code_id(bytecodes));
	pa_counter *calls = pa_calls(abs), *taken, *not_taken;
	pa_branch_words(abs, 6, &taken, &not_taken);
	printf("known so far: %llu calls, %llu taken, %llu not taken\n", (unsigned long long)pa_load(calls),
		(unsigned long long)pa_load(taken), (unsigned long long)pa_load(not_taken));

	for (int i = 0; i < 1000; i++) { /* the interpreter */
		pa_count1(calls);
		pa_count1(pa_load(calls) % 3 == 0 ? taken : not_taken);
	}

	e = pa_dump(run, "tiny.parc", NULL);
	if (e.code != PA_OK) fprintf(stderr, "no dump: %s\n", pa_error_text(e, "tiny.parc", text, sizeof text));
	pa_end(run);
	return e.code != PA_OK;
}
