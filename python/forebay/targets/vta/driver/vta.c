#include "vta.h"

#ifndef VTA_INSTRUCTIONS
#define VTA_INSTRUCTIONS 1024 /* of the buffer */
#endif
#ifndef VTA_WAIT_CYCLES
#define VTA_WAIT_CYCLES 0xffffffffu
#endif

#if VTA_INSTRUCTIONS < 16 || VTA_INSTRUCTIONS > 65535
#error "VTA_INSTRUCTIONS is from 16 to 65,535"
#endif

#define MICRO_OPS 2048u /* that every build of the machine holds */
#define MOST_COUNT 16383u
#define MOST_FACTOR 2047u
#define MOST_WGT_FACTOR 1023u

#if defined(__GNUC__)
#define ALIGNED(bytes) __attribute__((aligned(bytes)))
#else
#define ALIGNED(bytes)
#endif

typedef enum { LOAD, COMPUTE, STORE, CORES } core_t;

enum { OP_LOAD = 0, OP_STORE = 1, OP_GEMM = 2, OP_FINISH = 3, OP_ALU = 4 };
enum { UOP = 0, WGT = 1, INP = 2, ACC = 3, OUT = 4 };
enum { SHIFT_RIGHT = 3 };
enum { POP_PREV = 1u << 3, POP_NEXT = 1u << 4, PUSH_PREV = 1u << 5, PUSH_NEXT = 1u << 6 };

/* ---- The buffer, and what each instruction knows to be complete ------------------------------ */

/* A vector clock: the number of instructions of each core that are complete for certain. */
typedef struct {
  uint32_t of[CORES];
} vta_clock;

static uint64_t buffer[VTA_INSTRUCTIONS][2] ALIGNED(16);
static vta_clock clock_after[VTA_INSTRUCTIONS];
static core_t core_of[VTA_INSTRUCTIONS];
static uint32_t number_of[VTA_INSTRUCTIONS];          /* 1 for the first of its core */
static uint32_t position_of[CORES][VTA_INSTRUCTIONS]; /* in the buffer, by number - 1 */
static uint32_t count, issued[CORES];
static vta_clock known[CORES];   /* by the next instruction of each core */
static vta_clock awaited[CORES]; /* by the next operation of each core */
static uint32_t epoch;           /* the buffers handed over so far */
static int32_t failed;           /* the first code of a buffer that was handed over for room */

static uint32_t micro_ops[MICRO_OPS] ALIGNED(16);
static uint32_t micro_ops_used;

static void forget_instructions(void) {
  count = 0;
  for (int core = 0; core < CORES; ++core) {
    issued[core] = 0;
    for (int other = 0; other < CORES; ++other) {
      known[core].of[other] = 0;
      awaited[core].of[other] = 0;
    }
  }
}

void vta_reset(void) {
  forget_instructions();
  micro_ops_used = 0;
  failed = 0;
  ++epoch;
}

static void join(vta_clock *one, const vta_clock *other) {
  for (int core = 0; core < CORES; ++core) {
    if (one->of[core] < other->of[core]) {
      one->of[core] = other->of[core];
    }
  }
}

/* Append an instruction; `low` has its dependency bits. */
static void append(core_t core, uint64_t low, uint64_t high) {
  known[core].of[core] = ++issued[core];
  buffer[count][0] = low;
  buffer[count][1] = high;
  clock_after[count] = known[core];
  core_of[count] = core;
  number_of[count] = issued[core];
  position_of[core][issued[core] - 1] = count;
  ++count;
}

/* Let instruction `number` of a neighbour be complete before the next one of `core`: by a token,
   unless it is known. Return the bit that takes the token. */
static uint64_t await(core_t core, core_t neighbour, uint32_t number) {
  if (known[core].of[neighbour] >= number) {
    return 0;
  }
  const uint32_t giver = position_of[neighbour][number - 1];
  buffer[giver][0] |= neighbour < core ? PUSH_NEXT : PUSH_PREV;
  join(&known[core], &clock_after[giver]);
  return neighbour < core ? POP_PREV : POP_NEXT;
}

/* Return the number of the first compute instruction after which instruction `number` of `far` is
   complete; appends one without data if there is none. */
static uint32_t first_that_knows(core_t far, uint32_t number) {
  if (known[COMPUTE].of[far] < number) {
    const uint64_t bits = await(COMPUTE, far, number);
    append(COMPUTE, OP_LOAD | UOP << 7 | bits, 0);
  }
  uint32_t first = 0, last = issued[COMPUTE] - 1;
  while (first < last) {
    const uint32_t middle = first + (last - first) / 2;
    if (clock_after[position_of[COMPUTE][middle]].of[far] >= number) {
      last = middle;
    } else {
      first = middle + 1;
    }
  }
  return first + 1;
}

/* Let everything of `needed` be complete before the next instruction of `core`; return its bits. */
static uint64_t await_all(core_t core, const vta_clock *needed) {
  if (core == COMPUTE) {
    return await(core, LOAD, needed->of[LOAD]) | await(core, STORE, needed->of[STORE]);
  }
  const core_t far = core == LOAD ? STORE : LOAD;
  uint32_t number = needed->of[COMPUTE];
  if (known[core].of[far] < needed->of[far]) {
    const uint32_t first = first_that_knows(far, needed->of[far]);
    number = first > number ? first : number;
  }
  return await(core, COMPUTE, number);
}

static int32_t hand_over(void) {
  if (count == 0) {
    return 0;
  }
  vta_clock all;
  for (int core = 0; core < CORES; ++core) {
    all.of[core] = issued[core];
  }
  const uint64_t bits = await_all(COMPUTE, &all);
  append(COMPUTE, OP_FINISH | bits, 0);
  const int32_t code = vta_device_run(vta_physical(buffer), count, VTA_WAIT_CYCLES);
  forget_instructions();
  ++epoch;
  return code;
}

int32_t vta_flush(void) {
  const int32_t code = hand_over(), before = failed;
  failed = 0;
  return before != 0 ? before : code;
}

/* Append an instruction of the next operation of a core: behind all that the operation awaits. An
   instruction may need one without data, and FINISH comes behind the last one. */
static void issue(core_t core, uint64_t low, uint64_t high) {
  if (count + 3 > VTA_INSTRUCTIONS) {
    const int32_t code = hand_over();
    failed = failed != 0 ? failed : code;
  }
  const uint64_t bits = await_all(core, &awaited[core]);
  append(core, low | bits, high);
}

/* Let the next instruction of `core` come behind the last one of `other`. */
static void order(core_t core, core_t other) { awaited[core].of[other] = issued[other]; }

static uint32_t ticket_of_last(void) { return (epoch & 0xffffu) << 16 | count; }

static int32_t after(core_t core, uint32_t ticket) {
  const uint32_t position = ticket & 0xffffu;
  if (ticket >> 16 == (epoch & 0xffffu) && position > 0 && position <= count) {
    vta_clock needed = {{0, 0, 0}};
    needed.of[core_of[position - 1]] = number_of[position - 1];
    join(&awaited[core], &needed);
  }
  return 0;
}

int32_t vta_load_after(uint32_t ticket) { return after(LOAD, ticket); }
int32_t vta_compute_after(uint32_t ticket) { return after(COMPUTE, ticket); }
int32_t vta_store_after(uint32_t ticket) { return after(STORE, ticket); }

static int32_t wait_for(uint32_t ticket) {
  if (ticket >> 16 == (epoch & 0xffffu) && (ticket & 0xffffu) <= count) {
    return vta_flush();
  }
  const int32_t code = failed; /* of the buffer that the operation was in */
  failed = 0;
  return code;
}

int32_t vta_load_wait(uint32_t ticket) { return wait_for(ticket); }
int32_t vta_compute_wait(uint32_t ticket) { return wait_for(ticket); }
int32_t vta_store_wait(uint32_t ticket) { return wait_for(ticket); }

/* ---- Moves ----------------------------------------------------------------------------------- */

typedef struct {
  uint32_t top, bottom, left, right;
} pads_t;

static const pads_t no_pads = {0, 0, 0, 0};

/* Issue a LOAD, or a STORE, of `rows` x `columns` elements. */
static void move(core_t core, uint32_t opcode, uint32_t memory, uint32_t local, uint32_t element,
                 uint32_t rows, uint32_t columns, uint32_t stride, pads_t pads) {
  issue(core,
        opcode | (uint64_t)memory << 7 | (uint64_t)(local & 0xffffu) << 10 |
            (uint64_t)element << 26,
        rows | (uint64_t)columns << 16 | (uint64_t)stride << 32 | (uint64_t)pads.top << 48 |
            (uint64_t)pads.bottom << 52 | (uint64_t)pads.left << 56 | (uint64_t)pads.right << 60);
}

static void load_elements(uint32_t memory, uint32_t local, uint32_t element, uint32_t rows,
                          uint32_t columns, uint32_t stride) {
  move(memory == ACC || memory == UOP ? COMPUTE : LOAD, OP_LOAD, memory, local, element, rows,
       columns, stride, no_pads);
}

/* Load the element of the border `times` times; return the local address behind it. */
static uint32_t load_border(uint32_t local, uint32_t element, uint32_t times) {
  if (times != 0) {
    load_elements(INP, local, element, times, 1, 0);
  }
  return local + times;
}

uint32_t vta_load_image_start(const int8_t *x, const int8_t *border, uint32_t y, int32_t rows,
                              int32_t columns, int32_t row_stride, int32_t pixel_stride,
                              int32_t blocks, int32_t top, int32_t bottom, int32_t left,
                              int32_t right, int32_t pads) {
  const uint32_t image = vta_physical(x) / 16, height = (uint32_t)rows;
  const uint32_t width = (uint32_t)columns * (uint32_t)blocks, depth = (uint32_t)blocks;
  const uint32_t before = (uint32_t)left * depth, behind = (uint32_t)right * depth;
  const uint32_t line = before + width + behind, stride = (uint32_t)row_stride;
  const int has_border = (top | bottom | left | right) != 0;
  if (pads != 0 && has_border) {
    const pads_t around = {(uint32_t)top, (uint32_t)bottom, before, behind};
    move(LOAD, OP_LOAD, INP, y, image, height, width, stride, around);
    return ticket_of_last();
  }
  const uint32_t value = vta_physical(border) / 16;
  if (height == 0 || width == 0) {
    load_border(y, value, ((uint32_t)top + height + (uint32_t)bottom) * line);
    return ticket_of_last();
  }
  const int is_dense = pixel_stride == blocks;
  uint32_t pending = (uint32_t)top * line;
  if (is_dense && left == 0 && right == 0) {
    y = load_border(y, value, pending);
    load_elements(INP, y, image, height, width, stride);
    y += height * width;
    pending = 0;
  } else {
    for (uint32_t row = 0; row < height; ++row) {
      y = load_border(y, value, pending + before);
      if (is_dense) {
        load_elements(INP, y, image + row * stride, 1, width, 0);
      } else {
        load_elements(INP, y, image + row * stride, (uint32_t)columns, depth,
                      (uint32_t)pixel_stride);
      }
      y += width;
      pending = behind;
    }
  }
  load_border(y, value, pending + (uint32_t)bottom * line);
  return ticket_of_last();
}

uint32_t vta_load_weights_start(const void *source, uint32_t target, uint32_t extent0,
                                uint32_t source_stride0, uint32_t target_stride0, uint32_t extent1,
                                uint32_t source_stride1, uint32_t target_stride1, uint32_t extent2,
                                uint32_t source_stride2, uint32_t target_stride2, uint32_t bytes) {
  const uint32_t first = vta_physical(source) / 256, run = bytes / 256;
  for (uint32_t i = 0; i < extent0; ++i) {
    for (uint32_t j = 0; j < extent1; ++j) {
      const uint32_t from = first + (i * source_stride0 + j * source_stride1) / 256;
      const uint32_t to = target + i * target_stride0 + j * target_stride1;
      if (extent2 == 1 || target_stride2 == run) {
        load_elements(WGT, to, from, extent2, run, source_stride2 / 256);
        continue;
      }
      for (uint32_t k = 0; k < extent2; ++k) {
        load_elements(WGT, to + k * target_stride2, from + k * source_stride2 / 256, 1, run, 0);
      }
    }
  }
  return ticket_of_last();
}

uint32_t vta_load_bias_start(const int32_t *bias, uint32_t y, int32_t pixels, int32_t blocks) {
  load_elements(ACC, y, vta_physical(bias) / 64, (uint32_t)pixels, (uint32_t)blocks, 0);
  return ticket_of_last();
}

static void store(uint32_t sums, const int8_t *y, uint32_t elements) {
  move(STORE, OP_STORE, OUT, sums, vta_physical(y) / 16, 1, elements, 0, no_pads);
}

uint32_t vta_store_bytes_start(uint32_t sums, int8_t *y, int32_t elements) {
  store(sums, y, (uint32_t)elements);
  return ticket_of_last();
}

/* ---- Micro-ops and loops --------------------------------------------------------------------- */

typedef struct {
  uint32_t count, dst, src, wgt;
} loop_t;

static uint32_t micro_op(uint32_t dst, uint32_t src, uint32_t wgt) {
  return dst | src << 11 | wgt << 22;
}

/* Return where a new sequence of micro-ops is to be written. The memory is used again from its
   start when no instruction that loads from it is in the buffer. */
static uint32_t *new_micro_ops(uint32_t length) {
  if (micro_ops_used + length > MICRO_OPS) {
    const int32_t code = hand_over();
    failed = failed != 0 ? failed : code;
    micro_ops_used = 0;
  }
  return micro_ops + micro_ops_used;
}

/* Return the index of the new sequence: where it is already, or where it is loaded to. */
static uint32_t loaded_micro_ops(uint32_t length) {
  const uint32_t *made = micro_ops + micro_ops_used;
  for (uint32_t at = 0; at + length <= micro_ops_used; ++at) {
    uint32_t same = 0;
    while (same < length && micro_ops[at + same] == made[same]) {
      ++same;
    }
    if (same == length) {
      return at;
    }
  }
  const uint32_t at = micro_ops_used;
  load_elements(UOP, at, vta_physical(made) / 4, 1, length, length);
  micro_ops_used += length;
  return at;
}

static int fits(const loop_t *loop) {
  return loop->count <= MOST_COUNT && loop->dst <= MOST_FACTOR && loop->src <= MOST_FACTOR &&
         loop->wgt <= MOST_WGT_FACTOR;
}

/* Join two loops that together step evenly through all memories; return whether they do. */
static int join_loops(loop_t *outer, const loop_t *inner) {
  const loop_t joined = {outer->count * inner->count, inner->dst, inner->src, inner->wgt};
  if (outer->dst != inner->dst * inner->count || outer->src != inner->src * inner->count ||
      outer->wgt != inner->wgt * inner->count || !fits(&joined)) {
    return 0;
  }
  *outer = joined;
  return 1;
}

/* Remove loops of one iteration and join others; return how many are left. */
static uint32_t merged(loop_t *loops, uint32_t length) {
  uint32_t left = 0;
  for (uint32_t i = 0; i < length; ++i) {
    if (loops[i].count != 1) {
      loops[left++] = loops[i];
    }
  }
  for (uint32_t i = 0; i < left; ++i) {
    for (uint32_t j = 0; j < left; ++j) {
      if (i != j && join_loops(&loops[i], &loops[j])) {
        loops[j] = loops[--left];
        return merged(loops, left);
      }
    }
  }
  return left;
}

/* Take the longest loop that fits an instruction out of `loops`. */
static loop_t taken(loop_t *loops, uint32_t *length) {
  loop_t found = {1, 0, 0, 0};
  uint32_t best = *length;
  for (uint32_t i = 0; i < *length; ++i) {
    if (fits(&loops[i]) && (best == *length || loops[i].count > loops[best].count)) {
      best = i;
    }
  }
  if (best < *length) {
    found = loops[best];
    for (uint32_t i = best + 1; i < *length; ++i) {
      loops[i - 1] = loops[i];
    }
    --*length;
  }
  return found;
}

/* Issue GEMMs that run all loops from the given elements: two loops are the instruction's, the
   others become micro-ops. Neighbours in the sequence add to different sums where they can. */
static void multiply(loop_t *loops, uint32_t length, uint32_t dst, uint32_t src, uint32_t wgt) {
  uint32_t left = merged(loops, length), total = 1;
  const loop_t outer = taken(loops, &left), inner = taken(loops, &left);
  for (uint32_t i = 0; i < left; ++i) {
    total *= loops[i].count;
  }
  for (uint32_t done = 0; done < total;) {
    const uint32_t part = total - done < MICRO_OPS ? total - done : MICRO_OPS;
    uint32_t *made = new_micro_ops(part);
    for (uint32_t n = 0; n < part; ++n) {
      uint32_t rest = done + n, at[3] = {dst, src, wgt};
      for (int adds_to_others = 1; adds_to_others >= 0; --adds_to_others) {
        for (uint32_t i = left; i-- > 0;) {
          if ((loops[i].dst != 0) == adds_to_others) {
            const uint32_t step = rest % loops[i].count;
            rest /= loops[i].count;
            at[0] += step * loops[i].dst;
            at[1] += step * loops[i].src;
            at[2] += step * loops[i].wgt;
          }
        }
      }
      made[n] = micro_op(at[0], at[1], at[2]);
    }
    const uint64_t first = loaded_micro_ops(part);
    issue(COMPUTE,
          OP_GEMM | first << 8 | (first + part) << 21 | (uint64_t)outer.count << 35 |
              (uint64_t)inner.count << 49,
          outer.dst | (uint64_t)inner.dst << 11 | (uint64_t)outer.src << 22 |
              (uint64_t)inner.src << 33 | (uint64_t)outer.wgt << 44 | (uint64_t)inner.wgt << 54);
    done += part;
  }
}

uint32_t vta_multiply_start(uint32_t x, uint32_t w, uint32_t sums, int32_t rows, int32_t columns,
                            int32_t out_blocks, int32_t in_blocks, int32_t kernel_rows,
                            int32_t kernel_columns, int32_t stride_rows, int32_t stride_columns,
                            int32_t image_columns, int32_t image_blocks, int32_t weight_blocks,
                            int32_t dilation_rows, int32_t dilation_columns, int32_t depthwise,
                            int32_t image_first, int32_t weights_first) {
  const uint32_t pixel = (uint32_t)image_blocks, row = (uint32_t)image_columns * pixel;
  const uint32_t blocks = (uint32_t)out_blocks, taps = (uint32_t)weight_blocks;
  const uint32_t kernel_row = (uint32_t)kernel_columns * taps;
  loop_t loops[6] = {
      {(uint32_t)rows, (uint32_t)columns * blocks, (uint32_t)stride_rows * row, 0},
      {(uint32_t)columns, blocks, (uint32_t)stride_columns * pixel, 0},
      {(uint32_t)kernel_rows, 0, (uint32_t)dilation_rows * row, kernel_row},
      {(uint32_t)kernel_columns, 0, (uint32_t)dilation_columns * pixel, taps},
      {depthwise != 0 ? 1 : (uint32_t)in_blocks, 0, 1, 1},
      {blocks, 1, depthwise != 0, (uint32_t)kernel_rows * kernel_row},
  };
  multiply(loops, 6, sums, x + (uint32_t)image_first, w + (uint32_t)weights_first);
  return ticket_of_last();
}

static void combine(uint32_t sums, uint32_t op, int32_t immediate, uint32_t elements) {
  *new_micro_ops(1) = micro_op(sums, sums, 0);
  const uint64_t first = loaded_micro_ops(1), step = 1;
  issue(COMPUTE, OP_ALU | first << 8 | (first + 1) << 21 | step << 35 | (uint64_t)elements << 49,
        step << 11 | step << 33 | (uint64_t)op << 44 | step << 47 |
            (uint64_t)((uint32_t)immediate & 0xffffu) << 48);
}

uint32_t vta_combine_start(uint32_t sums, int32_t op, int32_t immediate, int32_t elements) {
  combine(sums, (uint32_t)op, immediate, (uint32_t)elements);
  return ticket_of_last();
}

uint32_t vta_store_sums_start(uint32_t sums, int8_t *y, int32_t elements, int32_t bytes) {
  for (int32_t number = 0; number < bytes; ++number) {
    if (number != 0) {
      order(COMPUTE, STORE);
      combine(sums, SHIFT_RIGHT, 8, (uint32_t)elements);
      order(STORE, COMPUTE);
    }
    store(sums, y + number * elements * 16, (uint32_t)elements);
  }
  return ticket_of_last();
}

/* ---- Operations that are complete when the function returns ----------------------------------- */

int32_t vta_load_image(const int8_t *x, const int8_t *border, uint32_t y, int32_t rows,
                       int32_t columns, int32_t row_stride, int32_t pixel_stride, int32_t blocks,
                       int32_t top, int32_t bottom, int32_t left, int32_t right, int32_t pads) {
  return wait_for(vta_load_image_start(x, border, y, rows, columns, row_stride, pixel_stride,
                                       blocks, top, bottom, left, right, pads));
}

int32_t vta_load_weights(const void *source, uint32_t target, uint32_t extent0,
                         uint32_t source_stride0, uint32_t target_stride0, uint32_t extent1,
                         uint32_t source_stride1, uint32_t target_stride1, uint32_t extent2,
                         uint32_t source_stride2, uint32_t target_stride2, uint32_t bytes) {
  return wait_for(vta_load_weights_start(source, target, extent0, source_stride0, target_stride0,
                                         extent1, source_stride1, target_stride1, extent2,
                                         source_stride2, target_stride2, bytes));
}

int32_t vta_load_bias(const int32_t *bias, uint32_t y, int32_t pixels, int32_t blocks) {
  return wait_for(vta_load_bias_start(bias, y, pixels, blocks));
}

int32_t vta_multiply(uint32_t x, uint32_t w, uint32_t sums, int32_t rows, int32_t columns,
                     int32_t out_blocks, int32_t in_blocks, int32_t kernel_rows,
                     int32_t kernel_columns, int32_t stride_rows, int32_t stride_columns,
                     int32_t image_columns, int32_t image_blocks, int32_t weight_blocks,
                     int32_t dilation_rows, int32_t dilation_columns, int32_t depthwise,
                     int32_t image_first, int32_t weights_first) {
  return wait_for(vta_multiply_start(x, w, sums, rows, columns, out_blocks, in_blocks, kernel_rows,
                                     kernel_columns, stride_rows, stride_columns, image_columns,
                                     image_blocks, weight_blocks, dilation_rows, dilation_columns,
                                     depthwise, image_first, weights_first));
}

int32_t vta_combine(uint32_t sums, int32_t op, int32_t immediate, int32_t elements) {
  return wait_for(vta_combine_start(sums, op, immediate, elements));
}

int32_t vta_store_bytes(uint32_t sums, int8_t *y, int32_t elements) {
  return wait_for(vta_store_bytes_start(sums, y, elements));
}

int32_t vta_store_sums(uint32_t sums, int8_t *y, int32_t elements, int32_t bytes) {
  return wait_for(vta_store_sums_start(sums, y, elements, bytes));
}
