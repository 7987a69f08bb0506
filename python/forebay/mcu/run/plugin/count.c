/* Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counts the instructions that each owner executes in each run.

   An owner is for example an operator of the network. It owns a function, or some calls of one:
   the function has a list with the owner of each call in a run. Functions that it calls (memory
   functions, the compiler's arithmetic) count for the owner: it stays the same until an instruction
   of another function with owners is executed.

   Arguments: ranges=FILE, one line per function, "start end owners owner..." in hexadecimal,
   ascending and disjoint; addresses outside of all ranges have the current owner. Owner 0 is not
   counted. A call begins when the instruction at start begins a block. entry=ADDRESS begins a run whenever the instruction there begins a block. out=FILE gets one line
   per run: the counts of owners 1, 2, ... in decimal. each=1 counts single instructions instead of
   blocks, which is slower and gives the same numbers. */
#include "qemu_plugin.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct range {
  uint64_t start, end;
  size_t owner_count;
  size_t *owners; /* of the calls in a run, in order; after the last one the first follows */
  size_t calls;   /* in this run */
} range;

typedef struct piece { /* a translated block or a single instruction */
  uint64_t instructions;
  range *function; /* or NULL */
  bool begins_call, begins_run;
} piece;

int qemu_plugin_version = 1;

static range *ranges;
static size_t range_count;
static size_t owner_count = 1;
static uint64_t entry = UINT64_MAX;
static const char *output;
static bool counts_each;

static uint64_t *counts; /* [run][owner] */
static size_t run_count;
static size_t current;

static void *grown(void *memory, size_t count, size_t size) {
  void *larger = realloc(memory, count * size);
  if (larger == NULL) {
    fputs("count: out of memory\n", stderr);
    exit(1);
  }
  return larger;
}

static range *range_at(uint64_t address) {
  size_t low = 0, high = range_count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (address >= ranges[middle].end) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < range_count && address >= ranges[low].start ? &ranges[low] : NULL;
}

static void begin_run(void) {
  counts = grown(counts, (run_count + 1) * owner_count, sizeof *counts);
  memset(counts + run_count * owner_count, 0, owner_count * sizeof *counts);
  ++run_count;
  for (size_t i = 0; i < range_count; ++i) {
    ranges[i].calls = 0;
  }
}

static size_t owner_of(const range *function) {
  return function->owners[function->calls > 0 ? (function->calls - 1) % function->owner_count : 0];
}

static void executed(unsigned int cpu, void *data) {
  const piece *const done = data;
  range *const function = done->function;
  (void)cpu;
  if (done->begins_run) {
    begin_run();
  }
  if (function != NULL) {
    function->calls += done->begins_call;
    current = owner_of(function);
  }
  if (run_count > 0) {
    counts[(run_count - 1) * owner_count + current] += done->instructions;
  }
}

static piece *new_piece(uint64_t address, uint64_t instructions) {
  piece *const made = grown(NULL, 1, sizeof *made);
  made->instructions = instructions;
  made->function = range_at(address);
  made->begins_call = made->function != NULL && address == made->function->start;
  made->begins_run = address == entry;
  return made;
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *block) {
  const size_t instructions = qemu_plugin_tb_n_insns(block);
  (void)id;
  if (!counts_each) {
    piece *const whole = new_piece(qemu_plugin_tb_vaddr(block), instructions);
    qemu_plugin_register_vcpu_tb_exec_cb(block, executed, QEMU_PLUGIN_CB_NO_REGS, whole);
    return;
  }
  for (size_t i = 0; i < instructions; ++i) {
    struct qemu_plugin_insn *const one = qemu_plugin_tb_get_insn(block, i);
    piece *const alone = new_piece(qemu_plugin_insn_vaddr(one), 1);
    qemu_plugin_register_vcpu_insn_exec_cb(one, executed, QEMU_PLUGIN_CB_NO_REGS, alone);
  }
}

static void finished(qemu_plugin_id_t id, void *data) {
  FILE *const file = fopen(output, "w");
  (void)id;
  (void)data;
  if (file == NULL) {
    perror(output);
    return;
  }
  for (size_t run = 0; run < run_count; ++run) {
    for (size_t owner = 1; owner < owner_count; ++owner) {
      fprintf(file, "%s%" PRIu64, owner > 1 ? " " : "", counts[run * owner_count + owner]);
    }
    fputc('\n', file);
  }
  fclose(file);
}

static bool read_ranges(const char *path) {
  FILE *const file = fopen(path, "r");
  range next = {0};
  if (file == NULL) {
    perror(path);
    return false;
  }
  while (fscanf(file, "%" SCNx64 " %" SCNx64 " %zx", &next.start, &next.end, &next.owner_count) ==
         3) {
    next.owners = grown(NULL, next.owner_count, sizeof *next.owners);
    for (size_t i = 0; i < next.owner_count; ++i) {
      if (fscanf(file, "%zx", &next.owners[i]) != 1) {
        fputs("count: a range lacks owners\n", stderr);
        fclose(file);
        return false;
      }
      owner_count = next.owners[i] >= owner_count ? next.owners[i] + 1 : owner_count;
    }
    ranges = grown(ranges, range_count + 1, sizeof *ranges);
    ranges[range_count++] = next;
  }
  fclose(file);
  return true;
}

static const char *value_of(const char *argument, const char *key) {
  const size_t length = strlen(key);
  return strncmp(argument, key, length) == 0 && argument[length] == '=' ? argument + length + 1
                                                                        : NULL;
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info_t *info, int count,
                        char **arguments) {
  const char *range_file = NULL;
  (void)info;
  for (int i = 0; i < count; ++i) {
    const char *value;
    if ((value = value_of(arguments[i], "ranges")) != NULL) {
      range_file = value;
    } else if ((value = value_of(arguments[i], "out")) != NULL) {
      output = strdup(value);
    } else if ((value = value_of(arguments[i], "entry")) != NULL) {
      entry = strtoull(value, NULL, 16);
    } else if ((value = value_of(arguments[i], "each")) != NULL) {
      counts_each = strcmp(value, "1") == 0 || strcmp(value, "on") == 0;
    } else {
      fprintf(stderr, "count: unknown argument '%s'\n", arguments[i]);
      return 1;
    }
  }
  if (range_file == NULL || output == NULL || !read_ranges(range_file)) {
    fputs("count: needs ranges=FILE and out=FILE\n", stderr);
    return 1;
  }
  qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
  qemu_plugin_register_atexit_cb(id, finished, NULL);
  return 0;
}
