// A library that exports the structure tables of a HotSpot VM and has memory in
// their form: a sound VM of few classes, in which pose(mode) then forges
// something. Sizes and offsets are taken from the structures below; only what a
// reader of profiles asks for is exported.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// The structures.

typedef struct { uint32_t hash; uint16_t length; uint8_t body[2]; } Symbol;
typedef struct { int32_t length; int32_t pad; void *data[1]; } Array;
typedef struct Klass Klass;
typedef struct ClassLoaderData ClassLoaderData;
struct ClassLoaderData { void *a; Klass *klasses; ClassLoaderData *next; Klass *loader; Symbol *name, *name_and_id; };
struct Klass {
    void *vtable; int32_t layout_helper, b; Symbol *name; Klass *next; ClassLoaderData *loader;
    Array *methods; // from here on of InstanceKlass
};
typedef struct { void *a; Klass *holder; int32_t length, b; Symbol *entries[]; } ConstantPool;
typedef struct { ConstantPool *constants; uint16_t code_size, name, signature, b; uint8_t code[]; } ConstMethod;
typedef struct MethodData MethodData;
typedef struct { uint32_t invocations, backedges; uint16_t breakpoints; uint8_t highest, b[5]; } MethodCounters;
typedef struct {
	void *vtable;
	ConstMethod *const_method;
	MethodData *data;
	MethodCounters *counters;
	void *code;
	uint16_t access, b[3];
} Method;
struct MethodData {
    void *vtable; Method *method; int32_t size, b;
    uint32_t decompiles, recompiles, overflow_traps, c; uint8_t traps[64];
    int64_t eflags, local, stack, returned;
	uint32_t invocations, backedges, starts[2], tenure_traps, invoke_mask, backedge_mask;
	int16_t loops, blocks;
	int32_t would, d;
	int32_t data_size, parameters;
    uint64_t data[1];
};
typedef struct { void *addr; const char *name; int32_t flags, type; } JVMFlag;

// What the VM has.

#define LOADERS 3
#define CLASSES 4 // of each loader
#define METHODS 8 // of each class
#define CELLS 16  // of each MethodData

static ClassLoaderData loaders[LOADERS];
static Klass klasses[LOADERS][CLASSES];
static struct { Array array; void *more[METHODS]; } arrays[LOADERS][CLASSES];
static Method methods[LOADERS][CLASSES][METHODS];
static MethodCounters counters[LOADERS][CLASSES][METHODS];
static struct { ConstMethod method; uint8_t code[8]; } const_methods[LOADERS][CLASSES][METHODS];
static struct { ConstantPool pool; Symbol *entries[1 + 2 * METHODS]; } pools[LOADERS][CLASSES];
static struct { MethodData data; uint64_t more[CELLS]; } datas[LOADERS][CLASSES][METHODS];
static ClassLoaderData *head = &loaders[0];

static int64_t type_profile_width = 2, bci_profile_width = 2, type_profile_level = 111;
static uint8_t profile_traps = 1;
static JVMFlag flag_rows[] = {
    {&type_profile_width, "TypeProfileWidth", 0, 3}, {&bci_profile_width, "BciProfileWidth", 0, 3},
    {&type_profile_level, "TypeProfileLevel", 0, 5}, {&profile_traps, "ProfileTraps", 0, 0}, {0, 0, 0, 0},
};
static JVMFlag *flags = flag_rows;
static size_t num_flags = sizeof flag_rows / sizeof flag_rows[0];
static int32_t major_version = 17;
static const char *release = "17.0.0", *info = "a library that poses as a VM";

// The tables.

typedef struct { const char *type, *field, *string; int32_t is_static; uint64_t offset; void *address; } StructEntry;
typedef struct { const char *type, *super; int32_t a, b, c; uint64_t size; } TypeEntry;
typedef struct { const char *name; int32_t value; } IntEntry;
typedef struct { const char *name; int64_t value; } LongEntry;

#define FIELD(type, name, member) {#type, name, "", 0, offsetof(type, member), 0}
#define INSTANCE(name, member) {"InstanceKlass", name, "", 0, offsetof(Klass, member), 0}
#define STATIC(type, name, variable) {type, name, "", 1, 0, &variable}
static StructEntry structs[128] = {
    STATIC("ClassLoaderDataGraph", "_head", head),
    STATIC("JVMFlag", "flags", flags), STATIC("JVMFlag", "numFlags", num_flags),
    STATIC("Abstract_VM_Version", "_vm_major_version", major_version),
    STATIC("Abstract_VM_Version", "_s_vm_release", release),
    STATIC("Abstract_VM_Version", "_s_internal_vm_info_string", info),
    FIELD(JVMFlag, "_name", name), FIELD(JVMFlag, "_addr", addr), FIELD(JVMFlag, "_type", type),
    FIELD(ClassLoaderData, "_next", next), FIELD(ClassLoaderData, "_klasses", klasses),
    FIELD(ClassLoaderData, "_has_class_mirror_holder", a),
    FIELD(Klass, "_layout_helper", layout_helper), FIELD(Klass, "_name", name),
    FIELD(Klass, "_class_loader_data", loader), FIELD(Klass, "_next_link", next),
    INSTANCE("_methods", methods), INSTANCE("_constants", methods),
    {"Array<int>", "_length", "", 0, 0, 0}, {"Array<Method*>", "_data", "", 0, 8, 0},
    FIELD(Symbol, "_length", length), FIELD(Symbol, "_body[0]", body),
    FIELD(Method, "_constMethod", const_method), FIELD(Method, "_method_data", data),
    FIELD(Method, "_method_counters", counters), FIELD(Method, "_code", code), FIELD(Method, "_access_flags", access),
    FIELD(ConstMethod, "_constants", constants), FIELD(ConstMethod, "_code_size", code_size),
    FIELD(ConstMethod, "_name_index", name), FIELD(ConstMethod, "_signature_index", signature),
    FIELD(ConstantPool, "_length", length), FIELD(ConstantPool, "_pool_holder", holder),
    FIELD(MethodCounters, "_invocation_counter", invocations), FIELD(MethodCounters, "_backedge_counter", backedges),
    FIELD(MethodCounters, "_number_of_breakpoints", breakpoints),
    FIELD(MethodData, "_method", method), FIELD(MethodData, "_size", size), FIELD(MethodData, "_data_size", data_size),
    FIELD(MethodData, "_data[0]", data), FIELD(MethodData, "_parameters_type_data_di", parameters),
    FIELD(MethodData, "_compiler_counters._nof_decompiles", decompiles),
    FIELD(MethodData, "_compiler_counters._nof_overflow_recompiles", recompiles),
    FIELD(MethodData, "_compiler_counters._nof_overflow_traps", overflow_traps),
    FIELD(MethodData, "_compiler_counters._trap_hist._array[0]", traps),
    FIELD(MethodData, "_eflags", eflags), FIELD(MethodData, "_arg_local", local),
    FIELD(MethodData, "_arg_stack", stack), FIELD(MethodData, "_arg_returned", returned),
    FIELD(MethodData, "_tenure_traps", tenure_traps), FIELD(MethodData, "_invoke_mask", invoke_mask),
    FIELD(MethodData, "_backedge_mask", backedge_mask),
};
#define SIZE(type) {#type, 0, 0, 0, 0, sizeof(type)}
static TypeEntry types[64] = {
	SIZE(ClassLoaderData),
	{"Klass", 0, 0, 0, 0, offsetof(Klass, methods)},
	{"InstanceKlass", 0, 0, 0, 0, sizeof(Klass)},
	SIZE(Method),
	SIZE(ConstMethod),
	SIZE(ConstantPool),
	SIZE(MethodCounters),
	SIZE(MethodData),
	SIZE(Symbol),
	SIZE(JVMFlag),
	{"MethodData::CompilerCounters", 0, 0, 0, 0, 80},
	{"Array<int>", 0, 0, 0, 0, 8},
	{"Array<Method*>", 0, 0, 0, 0, 16},
};
static IntEntry ints[] = {{"InvocationCounter::count_increment", 2}, {"CompLevel_full_optimization", 4}, {0, 0}};
static LongEntry longs[] = {{"a constant", 1}, {0, 0}};

StructEntry *gHotSpotVMStructs = structs;
TypeEntry *gHotSpotVMTypes = types;
IntEntry *gHotSpotVMIntConstants = ints;
LongEntry *gHotSpotVMLongConstants = longs;
#define COLUMN(entry, column, type, member) uint64_t entry##column##Offset = offsetof(type, member)
uint64_t gHotSpotVMStructEntryArrayStride = sizeof(StructEntry), gHotSpotVMTypeEntryArrayStride = sizeof(TypeEntry);
uint64_t gHotSpotVMIntConstantEntryArrayStride = sizeof(IntEntry),
		 gHotSpotVMLongConstantEntryArrayStride = sizeof(LongEntry);
COLUMN(gHotSpotVMStructEntry, TypeName, StructEntry, type);
COLUMN(gHotSpotVMStructEntry, FieldName, StructEntry, field);
COLUMN(gHotSpotVMStructEntry, TypeString, StructEntry, string);
COLUMN(gHotSpotVMStructEntry, IsStatic, StructEntry, is_static);
COLUMN(gHotSpotVMStructEntry, Offset, StructEntry, offset);
COLUMN(gHotSpotVMStructEntry, Address, StructEntry, address);
COLUMN(gHotSpotVMTypeEntry, TypeName, TypeEntry, type);
COLUMN(gHotSpotVMTypeEntry, Size, TypeEntry, size);
COLUMN(gHotSpotVMIntConstantEntry, Name, IntEntry, name);
COLUMN(gHotSpotVMIntConstantEntry, Value, IntEntry, value);
COLUMN(gHotSpotVMLongConstantEntry, Name, LongEntry, name);
COLUMN(gHotSpotVMLongConstantEntry, Value, LongEntry, value);

// The sound VM.

// memory returns pages that are the process's own, the last before one that
// nobody can read.
static char *memory(size_t size) {
    size = (size + 4095) / 4096 * 4096;
    char *m = mmap(NULL, size + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (m == MAP_FAILED || munmap(m + size, 4096) != 0)
        abort();
    return m;
}

static Symbol *symbol(const char *text) {
    Symbol *s = calloc(1, sizeof(Symbol) + strlen(text));
    s->length = strlen(text);
    memcpy(s->body, text, strlen(text));
    return s;
}

static Symbol *numbered(const char *format, int i, int j) {
    char text[64];
    snprintf(text, sizeof text, format, i, j);
    return symbol(text);
}

// entries makes the entries of a method: a CounterData and a VirtualCallData,
// then ArgInfoData among the extra ones.
static void entries(MethodData *d, Klass *receiver) {
    uint64_t cells[] = {2 | 1 << 16, 1000, 5 | 4 << 16, 3, (uint64_t)receiver, 997, 0, 0, 9, 1, 0};
    memcpy(d->data, cells, sizeof cells);
    d->data_size = 8 * 8;
    d->size = offsetof(MethodData, data) + sizeof cells;
    d->parameters = -2;
}

static void make(int l, int c, int m) {
    Method *method = &methods[l][c][m];
    MethodData *d = &datas[l][c][m].data;
    ConstMethod *code = &const_methods[l][c][m].method;
    method->const_method = code, method->data = d, method->counters = &counters[l][c][m];
    counters[l][c][m].invocations = 200 << 1;
    d->method = method, d->invocations = 1000 << 1;
    entries(d, &klasses[l][(c + 1) % CLASSES]);
    code->constants = &pools[l][c].pool, code->code_size = 8, code->name = 1 + 2 * m, code->signature = 2 + 2 * m;
    memset(code->code, 0, 7), code->code[7] = 0xb1; // nop..., return
    pools[l][c].pool.entries[1 + 2 * m] = numbered("method%d", m, 0);
    pools[l][c].pool.entries[2 + 2 * m] = symbol("()V");
    arrays[l][c].array.data[m] = method;
}

static void make_all(void) {
    for (int l = 0; l < LOADERS; l++) {
        loaders[l].next = l + 1 < LOADERS ? &loaders[l + 1] : NULL;
        loaders[l].klasses = &klasses[l][0];
        loaders[l].loader = l + 1 < LOADERS ? &klasses[LOADERS - 1][l] : NULL;
        for (int c = 0; c < CLASSES; c++) {
            Klass *k = &klasses[l][c];
            k->name = numbered("posing/Class%d_%d", l, c), k->loader = &loaders[l], k->layout_helper = 16;
            k->next = c + 1 < CLASSES ? &klasses[l][c + 1] : NULL;
            k->methods = &arrays[l][c].array;
            arrays[l][c].array.length = METHODS;
            pools[l][c].pool.holder = k, pools[l][c].pool.length = 1 + 2 * METHODS;
            for (int m = 0; m < METHODS; m++)
                make(l, c, m);
        }
    }
}

// What is forged.

static StructEntry *row(const char *type, const char *field) {
    for (StructEntry *e = structs; e->type; e++)
        if (!strcmp(e->type, type) && !strcmp(e->field, field))
            return e;
    abort();
}

static TypeEntry *size(const char *type) {
    for (TypeEntry *e = types; e->type; e++)
        if (!strcmp(e->type, type))
            return e;
    abort();
}

static void remove_row(StructEntry *e) {
    for (; e->type; e++)
        *e = *(e + 1);
}

static void again(StructEntry *e, uint64_t offset) {
    StructEntry *end = structs;
    while (end->type)
        end++;
    *end = *e;
    end->offset = offset;
}

// One array of as many methods as a class may have, all the same, for classes
// without number.
static void many_classes_of_one_array(int shared) {
    int n = 65535, classes = 20000;
    Klass *k = (Klass *)memory(classes * sizeof(Klass));
    Array *one = NULL;
    for (int i = 0; i < classes; i++) {
        if (!one || (!shared && i < 400)) {
            one = (Array *)memory(sizeof(Array) + 8 * n);
            one->length = n;
            for (int j = 0; j < n; j++)
                one->data[j] = &methods[0][0][0];
        }
        k[i] = klasses[0][0];
        k[i].methods = one;
        k[i].next = i + 1 < classes ? &k[i + 1] : NULL;
    }
    loaders[0].klasses = k;
}

// Classes that overlap: one begins at each word.
static void overlapping_classes(void) {
    size_t words = 8 << 20;
    uint64_t *w = (uint64_t *)memory(8 * words);
    size_t next = offsetof(Klass, next) / 8;
    for (size_t i = next; i < words; i++)
        w[i] = (uint64_t)&w[i - next + 1];
    w[words - 1] = 0;
    loaders[0].klasses = (Klass *)w;
}

// A page that is mapped in many places, so that its structures have many
// addresses: methods, each of which names the same code.
static void aliased_page(void) {
    int page = memfd_create("page", 0), aliases = 16384, each = 4096 / sizeof(Method), n = 65535;
    if (page < 0 || ftruncate(page, 4096) != 0)
        abort();
    char *at = memory((size_t)aliases * 4096);
    for (int i = 0; i < aliases; i++)
		if (mmap(at + (size_t)i * 4096, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_POPULATE, page, 0) ==
			MAP_FAILED)
			abort();
    for (int i = 0; i < each; i++)
        ((Method *)at)[i] = methods[0][0][0];
    Klass *k = (Klass *)memory(64 * sizeof(Klass));
    int64_t place = 0;
    for (int c = 0; c < 64; c++) {
        Array *a = (Array *)memory(sizeof(Array) + 8 * n);
        a->length = n;
        for (int j = 0; j < n; j++, place++)
            a->data[j] = (Method *)(at + place / each % aliases * 4096) + place % each;
        k[c] = klasses[0][0];
        k[c].methods = a;
        k[c].next = c < 63 ? &k[c + 1] : NULL;
    }
    loaders[0].klasses = k;
}

// More methods than the VM has, each with MethodData of its own.
static Method *more_methods(int n) {
    Method *m = (Method *)memory(n * sizeof(Method));
    MethodData *d = (MethodData *)memory(n * (sizeof(MethodData) + 8 * CELLS));
    Array *a = (Array *)memory(sizeof(Array) + 8 * n);
    a->length = n;
    for (int i = 0; i < n; i++, d = (MethodData *)((char *)d + sizeof *d + 8 * CELLS)) {
        m[i] = methods[0][0][i % METHODS];
        m[i].data = d;
        memcpy(d, methods[0][0][0].data, sizeof *d + 8 * CELLS);
        d->method = a->data[i] = &m[i];
    }
    klasses[0][0].methods = a;
    return m;
}

// Names of 65,535 bytes for all, or for each another that overlaps the others.
static void long_symbols(int overlapping) {
    char *text = memory(1 << 20);
    memset(text, 'x', 1 << 20);
    Symbol *s = (Symbol *)text;
    Method *m = more_methods(20000);
    for (int i = 0; i < 20000; i++) {
        struct { ConstantPool pool; Symbol *entries[3]; } *pool = (void *)memory(4096);
        ConstMethod *code = calloc(1, sizeof *code + 8);
        *code = *methods[0][0][0].const_method;
        code->constants = &pool->pool, code->name = 1, code->signature = 2;
        pool->pool.holder = &klasses[0][0], pool->pool.length = 3;
        Symbol *name = overlapping ? (Symbol *)(text + 8 + i * 40) : s;
        memset(&name->hash, 'x', 4), name->length = 65535;
        pool->pool.entries[1] = pool->pool.entries[2] = name;
        m[i].const_method = code;
    }
    s->length = 65535;
    klasses[0][0].name = s;
}

// Class loaders without number, of one class with a name of 65,535 bytes, each
// with a class of that name.
static void loaders_of_one_name(void) {
    int n = 20000;
    Symbol *s = (Symbol *)memory(1 << 17);
    memset(s, 'x', 1 << 17);
    s->length = 65535;
    ClassLoaderData *l = (ClassLoaderData *)memory(n * sizeof *l);
    Klass *k = (Klass *)memory(n * sizeof *k);
    for (int i = 0; i < n; i++) {
        l[i].next = i + 1 < n ? &l[i + 1] : &loaders[0];
        l[i].klasses = &k[i], l[i].loader = &k[i];
        k[i].name = s, k[i].loader = &l[i], k[i].layout_helper = 16;
    }
    head = l;
}

// A file of a terabyte that is called libjvm.so and has little more than the
// beginning of an ELF header, mapped above and below the library.
static void decoys(void) {
    char exe[1000], path[1100];
    exe[readlink("/proc/self/exe", exe, sizeof exe - 1)] = 0;
    *strrchr(exe, '/') = 0;
    snprintf(path, sizeof path, "%s/decoy of %d", exe, getpid());
    mkdir(path, 0777);
    strcat(path, "/libjvm.so");
    int file = open(path, O_RDWR | O_CREAT, 0666);
    if (file < 0 || ftruncate(file, 1l << 40) != 0)
        abort();
    char *above = (char *)((uintptr_t)exe - (100 << 20) & -4096l); // libraries lie further below the stack
    if (mmap(NULL, 1l << 40, PROT_READ, MAP_SHARED, file, 0) == MAP_FAILED ||
        mmap(above, 4096, PROT_READ, MAP_SHARED, file, 0) != above || (void *)decoys > (void *)above)
        abort();
    write(file, "\177ELF\2\1", 6);
    unlink(path); // it is deleted now
    *strrchr(path, '/') = 0;
    rmdir(path);
}

static void *scribble(void *unused) {
    struct { void *at; size_t size; } parts[] = {
        {loaders, sizeof loaders}, {klasses, sizeof klasses}, {arrays, sizeof arrays}, {methods, sizeof methods},
        {pools, sizeof pools}, {const_methods, sizeof const_methods}, {datas, sizeof datas},
    };
    for (uint64_t r = 88172645463325252u;;) {
        for (int i = 0; i < 7; i++) {
            r ^= r << 13, r ^= r >> 7, r ^= r << 17;
            uint64_t *word = (uint64_t *)parts[i].at + r % (parts[i].size / 8), was = *word;
            *(volatile uint64_t *)word = r & 1 ? r : was + (r >> 60);
            *(volatile uint64_t *)word = was;
        }
    }
    return unused;
}

static char *last_bytes(size_t n) { return memory(4096) + 4096 - n; }

void pose(const char *mode) {
    make_all();
#define MODE(name) else if (!strcmp(mode, name))
    if (!strcmp(mode, "sound"))
        ;
    MODE("size-zero") size("Klass")->size = 0;
    MODE("size-huge") size("Method")->size = 1u << 31;
    MODE("offset-beyond-class") row("Klass", "_name")->offset = 4096;
    MODE("offset-beyond-link") row("Klass", "_next_link")->offset = 4096;
    MODE("offset-beyond-header") row("MethodData", "_tenure_traps")->offset = 1 << 20;
    MODE("offset-beyond-entries") row("MethodData", "_eflags")->offset = sizeof(MethodData) - 8;
    MODE("offset-negative") row("Method", "_method_data")->offset = -16;
    MODE("offset-unaligned") row("Method", "_constMethod")->offset++;
    MODE("trap-history-beyond") size("MethodData::CompilerCounters")->size = 4000;
    MODE("entries-at-front") row("MethodData", "_data[0]")->offset = 8;
    MODE("array-huge") arrays[1][1].array.length = INT32_MAX;
    MODE("array-negative") arrays[1][1].array.length = -1;
    MODE("array-shared") many_classes_of_one_array(1);
    MODE("arrays-of-one-method") many_classes_of_one_array(0);
    MODE("class-links-itself") klasses[1][1].next = &klasses[1][1];
    MODE("class-links-back") klasses[1][CLASSES - 1].next = &klasses[1][0];
    MODE("lists-share-tail") klasses[1][CLASSES - 1].next = &klasses[2][1];
    MODE("loader-links-itself") {
        loaders[1].next = &loaders[1];
        loaders[1].klasses = NULL;
    }
    MODE("loaders-in-a-circle") {
        loaders[LOADERS - 1].next = &loaders[0];
        for (int l = 0; l < LOADERS; l++)
            loaders[l].klasses = NULL;
    }
    MODE("classes-overlap") overlapping_classes();
    MODE("page-aliased") aliased_page();
    MODE("names-long") long_symbols(0);
    MODE("names-overlap") long_symbols(1);
    MODE("loaders-of-one-name") loaders_of_one_name();
    MODE("decoys") decoys();
    MODE("data-2gib") datas[1][1][1].data.size = INT32_MAX - 7;
    MODE("data-16mib") {
        int n = 20000;
        Method *m = more_methods(n);
        for (int i = 0; i < n; i++)
            m[i].data->size = 1 << 24;
    }
    MODE("data-sizes-disagree") datas[1][1][1].data.data_size = 1000;
    MODE("data-size-negative") datas[1][1][1].data.data_size = -8;
    MODE("data-of-another") datas[1][1][1].data.method = &methods[0][0][0];
    MODE("tags-unknown") datas[1][1][1].data.data[0] = 200;
    MODE("cells-without-end") datas[1][1][1].data.data[9] = UINT64_MAX;
    MODE("types-anywhere") datas[1][1][1].data.data[4] = 0xdeadbeef8;
    MODE("pool-index-beyond") const_methods[1][1][1].method.name = 65535;
    MODE("pool-entry-unmapped") pools[1][1].pool.entries[3] = (Symbol *)0x10;
    MODE("method-unmapped") arrays[1][1].array.data[1] = (void *)0x123450;
    MODE("method-in-the-kernel") arrays[1][1].array.data[1] = (void *)0xffffffff81000000;
    MODE("method-at-the-end") arrays[1][1].array.data[1] = (void *)0xfffffffffffffff8;
	MODE("method-not-readable")
	arrays[1][1].array.data[1] = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	MODE("method-beyond-its-file") {
        int file = memfd_create("file", 0);
        arrays[1][1].array.data[1] = mmap(NULL, 4096, PROT_READ, MAP_SHARED, file, 0);
    }
    MODE("loader-at-last-bytes") loaders[1].next = (ClassLoaderData *)last_bytes(8);
    MODE("symbol-at-last-byte") klasses[1][1].name = (Symbol *)last_bytes(1);
    MODE("symbol-over-the-end") {
        Symbol *s = (Symbol *)last_bytes(16);
        s->length = 300;
        klasses[1][1].name = s;
    }
    MODE("string-without-end") {
        char *text = memory(1 << 20);
        memset(text, 'A', 1 << 20);
        types[1].type = text;
    }
    MODE("string-at-the-end") *(char *)(types[1].type = last_bytes(1)) = 'A';
    MODE("row-missing") remove_row(row("MethodData", "_method"));
    MODE("row-twice") again(row("MethodData", "_method"), offsetof(MethodData, method));
    MODE("rows-contradict") again(row("MethodData", "_method"), 0);
    MODE("rows-without-end") gHotSpotVMStructEntryArrayStride = 0;
    MODE("columns-anywhere") gHotSpotVMTypeEntrySizeOffset = 1ul << 40;
    MODE("flags-without-end") num_flags = SIZE_MAX;
    MODE("width-2gib") type_profile_width = 1l << 31;
    MODE("width-large") type_profile_width = 1 << 16;
    MODE("width-negative") bci_profile_width = -1;
    MODE("increment-zero") ints[0].value = 0;
    MODE("release-of-a-screenful") {
        char *text = calloc(1, 1024);
        memset(text, '\033', 1000);
        release = info = text;
    }
    MODE("scribbling") {
        pthread_t other;
        if (pthread_create(&other, NULL, scribble, NULL) != 0)
            abort();
    }
    else abort();
}
