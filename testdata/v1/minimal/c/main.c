/* Answers the questions of ../../lookups.txt:
 *     cc -O2 -o minimal *.c -lm
 *     ./minimal ../.. < ../../lookups.txt | diff ../../lookups.txt -
 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "minimal.h"

static Text parse_text(const char **at) {
    uint8_t *bytes = allocate(strlen(*at) + 1);
    uint64_t size = 0;
    for (; **at != 0 && **at != '|' && **at != ' '; (*at)++) {
        unsigned code = (unsigned char)**at;
        if (code == '%' && sscanf(*at + 1, "%2x", &code) == 1) *at += 2;
        bytes[size++] = (uint8_t)code;
    }
    return (Text){bytes, size};
}

static Key parse_key(const char **at) {
    Key key;
    for (int i = 0; i < 4; i++) {
        key.part[i] = parse_text(at);
        if (**at == '|') (*at)++;
    }
    return key;
}

/* find answers whether there is a method, and reads the frames of its context. */
static const char *find(const char *question, Method *found, Frame *frames, int *count) {
    if (question[0] == 'i') {
        if (!find_by_id(strtoull(question + 3, NULL, 16), found)) return "absent";
        return found->flags & 32 ? "ambiguous" : NULL;
    }
    question += 4;
    Key key = parse_key(&question);
    for (*count = 0; *question == ' ' && *count < 64; (*count)++) {
        char *end;
        frames[*count].point = (int32_t)strtol(question, &end, 10);
        question = end + 1;
        frames[*count].caller = parse_key(&question);
    }
    return find_by_key(&key, found) ? NULL : "absent";
}

static void answer(FILE *out, const char *question) {
    Method m;
    Frame frames[64];
    int count = 0, depth;
    uint64_t context, before = 0;
    const char *none = find(question, &m, frames, &count);
    if (none != NULL) {
        fprintf(out, "  %s\n", none);
        return;
    }
    fprintf(out, "  method %016" PRIx64 " %d ", m.id, m.flags & 56);
    print_key(out, &m.key);
    fputc('\n', out);
    for (uint64_t at = find_profiles(&m, frames, count, &context, &depth); at != 0;) {
        Block b = read_block(at);
        uint64_t links = b.fields[LINKS];
        require(at > before && b.method == m.at && (links != 0 ? reference(links) : 0) == context);
        print_block(out, &b, depth);
        before = at;
        at = links != 0 ? reference(links + 4) : 0;
    }
}

static void ask(uint8_t *data, uint64_t size, const char *question) {
    char *text;
    size_t written;
    FILE *out = open_memstream(&text, &written);
    if (out == NULL) abort();
    uint8_t *exact = malloc(size); /* so that a sanitizer notices a read outside the file */
    if (exact == NULL && size > 0) abort();
    memcpy(exact, data, size);
    if (setjmp(refused) == 0) {
        open_archive(exact, size);
        answer(out, question);
        fclose(out);
        fputs(text, stdout);
    } else {
        fclose(out);
        printf("  refused %s\n", refused_kind);
    }
    free(text);
    free(exact);
    release_memory(NULL);
}

static uint64_t read_file(const char *name, uint8_t *data, uint64_t room) {
    FILE *f = fopen(name, "rb");
    if (f == NULL) {
        perror(name);
        exit(1);
    }
    uint64_t size = fread(data, 1, room, f);
    fclose(f);
    return size;
}

int main(int argc, char **argv) {
    static uint8_t data[1 << 20];
    static char line[1 << 16];
    uint64_t size = 0;
    if (argc != 2 || chdir(argv[1]) != 0) {
        fprintf(stderr, "usage: minimal DIRECTORY < lookups.txt\n");
        return 1;
    }
    while (fgets(line, sizeof line, stdin) != NULL) {
        if (line[0] == ' ') continue;
        fputs(line, stdout);
        line[strcspn(line, "\n")] = 0;
        if (strncmp(line, "open ", 5) == 0) size = read_file(line + 5, data, sizeof data);
        if (strncmp(line, "cut ", 4) == 0) size = strtoull(line + 4, NULL, 10);
        if (strncmp(line, "edit ", 5) == 0) {
            char *hex;
            uint8_t *to = data + strtoull(line + 5, &hex, 10);
            unsigned byte;
            for (hex++; sscanf(hex, "%2x", &byte) == 1; hex += 2) *to++ = (uint8_t)byte;
        }
        if (strncmp(line, "key ", 4) == 0 || strncmp(line, "id ", 3) == 0) ask(data, size, line);
    }
    return 0;
}
