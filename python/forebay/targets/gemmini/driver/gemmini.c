#include "gemmini.h"

#define LANES 16
#define MOVED_COLUMNS 64 /* of int8 in one move-in */

#define ACCUMULATE 0x40000000u
#define FULL_WIDTH 0x20000000u
#define NO_ROWS 0xffffffffu
#define ONE 0x3f800000u /* 1.0f */

enum {
  CONFIG = 0,
  MVIN2 = 1,
  MVIN = 2,
  MVOUT = 3,
  COMPUTE = 4,
  COMPUTE_MORE = 5,
  PRELOAD = 6,
  FLUSH = 7,
  MVIN3 = 14
};

#ifdef GEMMINI_HOOK
#define ISSUE(funct, rs1, rs2) gemmini_issue((uint32_t)(funct), rs1, rs2)
#define FENCE() gemmini_fence()
#else
/* custom-3 with both source registers and no destination */
#define ISSUE(funct, rs1, rs2)                                                                     \
  __asm__ volatile(".insn r 0x7b, 3, %0, x0, %1, %2"                                               \
                   :                                                                               \
                   : "i"(funct), "r"((uint64_t)(rs1)), "r"((uint64_t)(rs2))                        \
                   : "memory")
#define FENCE() __asm__ volatile("fence" ::: "memory")
#endif

/* ---- Configuration: sent when it changes ----------------------------------------------------- */

enum { EX, IMAGE, WEIGHTS, CONSTANTS, ST, CONFIGS };

static struct {
  uint64_t rs1, rs2;
  int is_set;
} configs[CONFIGS];
static int is_flushed;

static void configure(int which, uint64_t rs1, uint64_t rs2) {
  if (!is_flushed) {
    is_flushed = 1;
    ISSUE(FLUSH, 0, 0);
  }
  if (configs[which].is_set && configs[which].rs1 == rs1 && configs[which].rs2 == rs2) {
    return;
  }
  configs[which].is_set = 1;
  configs[which].rs1 = rs1;
  configs[which].rs2 = rs2;
  ISSUE(CONFIG, rs1, rs2);
}

/* The array: which matrix stays in it, and the rows from one row of A to the next. */
static void configure_array(uint32_t keeps_weights, uint32_t a_stride) {
  configure(EX, (uint64_t)ONE << 32 | (uint64_t)a_stride << 16 | keeps_weights << 2,
            (uint64_t)1 << 48);
}

/* Load configuration IMAGE, WEIGHTS or CONSTANTS: `stride` bytes from row to row in memory, and
   `blocks` local rows from 16 columns to the next 16. */
static void configure_load(int which, uint64_t stride, uint32_t blocks) {
  const uint64_t id = (uint64_t)(which - IMAGE);
  const uint64_t rows = blocks < LANES ? LANES : blocks;
  configure(which, (uint64_t)ONE << 32 | rows << 16 | 1u << 8 | id << 3 | 1u, stride);
}

static void configure_store(uint32_t stride, uint32_t scale) {
  configure(ST, 2u, (uint64_t)scale << 32 | stride);
}

/* ---- Instructions ---------------------------------------------------------------------------- */

static uint64_t block(uint32_t rows, uint32_t columns, uint32_t local) {
  return (uint64_t)rows << 48 | (uint64_t)columns << 32 | local;
}

static void move_in(int which, const void *from, uint32_t to, uint32_t rows, uint32_t columns) {
  const uint64_t address = (uint64_t)(uintptr_t)from, what = block(rows, columns, to);
  switch (which) {
  case IMAGE:
    ISSUE(MVIN, address, what);
    break;
  case WEIGHTS:
    ISSUE(MVIN2, address, what);
    break;
  default:
    ISSUE(MVIN3, address, what);
    break;
  }
}

static uint32_t at_most(uint32_t value, uint32_t limit) { return value < limit ? value : limit; }

static uint32_t blocks_of(uint32_t channels) { return (channels + LANES - 1) / LANES; }

/* ---- Operations: a function's instructions, issued one by one --------------------------------- */

/* Gemmini takes instructions in program order, and stops at the first one that has no room. So loads that
   should run beside products must be issued between these: each operation knows its next instruction. */

struct image_load {
  const int8_t *image, *border;
  uint32_t tile, width, depth, rows, columns, channels;
  uint32_t across, plane, left, right, first; /* local rows; `first` of the pixels */
  uint32_t run, channel, pixel;               /* of the next move */
};

struct weights_load {
  const int8_t *source;
  uint32_t target, step, bytes;
  int32_t source_stride;
  uint32_t row;
};

/* Biases to sums, or sums to memory. */
struct sums_move {
  const int8_t *memory;
  uint32_t sums, pixels, channels, scale;
  uint32_t channel, pixel;
};

/* One convolution: where its operands are, and its sizes. */
struct convolution {
  uint32_t image, weights, sums;           /* local rows */
  uint32_t plane, width, weights_stride;   /* local rows */
  uint32_t block_rows;                     /* local rows of a block of weights */
  uint32_t rows, columns, channels, depth; /* of the result; inputs of each */
  uint32_t kernel_height, kernel_width;
  uint32_t stride_y, stride_x, dilation_y, dilation_x;
  uint32_t depthwise, most; /* products that stay in the array, or 0 if weights do */
  uint32_t out, step, row, pixel;
};

enum { LOAD, EXECUTE, STORE, QUEUES };
enum kind { LOAD_IMAGE, LOAD_WEIGHTS, LOAD_BIAS, CONVOLVE, STORE_SUMS, STORE_SCALED };

struct operation {
  enum kind kind;
  uint32_t left;             /* moves or products that were not issued yet */
  uint32_t after[QUEUES];    /* numbers of operations that are issued before */
  const int8_t *begin, *end; /* of the main memory that it uses and that is not constant */
  union {
    struct image_load image;
    struct weights_load weights;
    struct sums_move sums;
    struct convolution convolution;
  } of;
};

/* ---- Moves in -------------------------------------------------------------------------------- */

static uint32_t moves_of(uint32_t pixels) { return (pixels + LANES - 1) / LANES; }

static void next_weights(struct weights_load *w) {
  configure_load(WEIGHTS, LANES, LANES);
  const uint32_t rows = w->bytes / LANES;
  move_in(WEIGHTS, w->source + w->row * LANES, w->target + w->row, at_most(rows - w->row, LANES),
          LANES);
  w->row += LANES;
  if (w->row >= rows) {
    w->row = 0;
    w->source += w->source_stride;
    w->target += w->step;
  }
}

/* Pixels that are consecutive in the scratchpad and in memory, or all equal. */
struct run {
  int which;
  const int8_t *from;
  uint32_t first, pixels;
};

/* The runs of the border, from the first row to the last: the sides of a row follow those of the row
   before it. */
static uint32_t border_runs(const struct image_load *l) {
  return l->rows == 0 || l->columns == 0 ? 1 : l->rows + 1;
}

static int is_whole(const struct image_load *l) {
  return l->across == l->columns && l->columns == l->width;
}

static uint32_t image_runs(const struct image_load *l) {
  if (l->rows == 0 || l->columns == 0) {
    return 0;
  }
  return is_whole(l) ? 1 : l->rows;
}

static struct run run_of(const struct image_load *l, uint32_t number) {
  struct run r = {CONSTANTS, l->border, 0, l->plane};
  const uint32_t borders = border_runs(l);
  if (borders == 1) {
    return r;
  }
  if (number >= borders) {
    const uint32_t row = number - borders;
    r.which = IMAGE;
    r.from = l->image + (uint64_t)row * l->width * l->depth;
    r.first = l->first + row * l->across + l->left;
    r.pixels = l->columns * (is_whole(l) ? l->rows : 1u);
    return r;
  }
  if (number == 0) {
    r.pixels = l->first + l->left;
    return r;
  }
  r.first = l->first + number * l->across - l->right;
  r.pixels = number == l->rows ? l->plane - r.first : l->left + l->right;
  return r;
}

/* The channels of one move: one of several blocks needs them at least 16 rows apart. */
static uint32_t most_channels(const struct image_load *l) {
  return l->plane < LANES ? LANES : MOVED_COLUMNS;
}

static uint32_t image_moves(const struct image_load *l) {
  const uint32_t most = most_channels(l), parts = (l->channels + most - 1) / most;
  uint32_t moves = 0;
  for (uint32_t run = 0; run < border_runs(l) + image_runs(l); ++run) {
    moves += moves_of(run_of(l, run).pixels) * parts;
  }
  return moves;
}

static void next_image(struct image_load *l) {
  const uint32_t most = most_channels(l);
  struct run r = run_of(l, l->run);
  while (r.pixels == 0) {
    r = run_of(l, ++l->run);
  }
  configure_load(r.which, r.which == IMAGE ? l->depth : 0, l->plane);
  const int8_t *from = r.from;
  if (r.which == IMAGE) {
    from += l->channel + (uint64_t)l->pixel * l->depth;
  }
  move_in(r.which, from, l->tile + l->channel / LANES * l->plane + r.first + l->pixel,
          at_most(r.pixels - l->pixel, LANES), at_most(l->channels - l->channel, most));
  l->pixel += LANES;
  if (l->pixel >= r.pixels) {
    l->pixel = 0;
    l->channel += most;
  }
  if (l->channel >= l->channels) {
    l->channel = 0;
    ++l->run;
  }
}

/* ---- Sums: biases in, results out -------------------------------------------------------------- */

static void next_pixels(struct sums_move *m) {
  m->pixel += LANES;
  if (m->pixel >= m->pixels) {
    m->pixel = 0;
    m->sums += m->pixels;
    m->channel += LANES;
  }
}

static void next_bias(struct sums_move *m) {
  configure_load(CONSTANTS, 0, LANES);
  move_in(CONSTANTS, m->memory + 4u * m->channel, m->sums + m->pixel,
          at_most(m->pixels - m->pixel, LANES), at_most(m->channels - m->channel, LANES));
  next_pixels(m);
}

static void next_store(struct sums_move *m, uint32_t bytes, uint32_t flags) {
  const int8_t *to = m->memory + ((uint64_t)m->pixel * m->channels + m->channel) * bytes;
  configure_store(m->channels * bytes, m->scale);
  ISSUE(MVOUT, (uint64_t)(uintptr_t)to,
        block(at_most(m->pixels - m->pixel, LANES), at_most(m->channels - m->channel, LANES),
              (m->sums + m->pixel) | flags));
  next_pixels(m);
}

/* ---- Products -------------------------------------------------------------------------------- */

/* The product of up to 16 pixels with one block of weights. */
struct product {
  uint32_t a, weights, sums; /* local rows */
  uint32_t pixels, inputs, outputs;
};

static uint32_t inputs_of(const struct convolution *c, uint32_t in) {
  if (c->depthwise) {
    return at_most(c->channels - c->out * LANES, LANES);
  }
  return at_most(c->depth - in * LANES, LANES);
}

static struct product product_of(const struct convolution *c) {
  const uint32_t taps = c->kernel_height * c->kernel_width, step = c->step;
  const uint32_t in = step / taps, ky = step % taps / c->kernel_width, kx = step % c->kernel_width;
  const uint32_t source = c->depthwise ? c->out : in;
  struct product p;
  p.a = c->image + source * c->plane + (c->row * c->stride_y + ky * c->dilation_y) * c->width +
        c->pixel * c->stride_x + kx * c->dilation_x;
  p.weights = c->weights + c->out * c->weights_stride + step * c->block_rows;
  p.sums = c->sums + c->out * c->rows * c->columns + c->row * c->columns + c->pixel;
  p.pixels = at_most(c->columns - c->pixel, LANES);
  p.inputs = inputs_of(c, in);
  p.outputs = at_most(c->channels - c->out * LANES, LANES);
  return p;
}

static uint32_t steps_of(const struct convolution *c) {
  return (c->depthwise ? 1u : blocks_of(c->depth)) * c->kernel_height * c->kernel_width;
}

/* Advance to the next pixels; return whether those were the last. */
static int next_row(struct convolution *c) {
  c->pixel += LANES;
  if (c->pixel >= c->columns) {
    c->pixel = 0;
    if (++c->row == c->rows) {
      c->row = 0;
      return 1;
    }
  }
  return 0;
}

static int next_step(struct convolution *c) {
  if (++c->step == steps_of(c)) {
    c->step = 0;
    return 1;
  }
  return 0;
}

/* A block of weights stays in the array while all pixels are multiplied. Each compute has a preload,
   which names where its sums are added; only the first names the weights. */
static void next_of_kept_weights(struct convolution *c) {
  const struct product p = product_of(c);
  const int is_first = c->row == 0 && c->pixel == 0;
  configure_array(1, c->stride_x);
  ISSUE(PRELOAD, block(p.inputs, p.outputs, is_first ? p.weights : NO_ROWS),
        block(p.pixels, p.outputs, p.sums | ACCUMULATE));
  const uint64_t a = block(p.pixels, p.inputs, p.a);
  const uint64_t no_d = block(p.pixels, p.outputs, NO_ROWS);
  if (is_first) {
    ISSUE(COMPUTE, a, no_d);
  } else {
    ISSUE(COMPUTE_MORE, a, no_d);
  }
  if (next_row(c) && next_step(c)) {
    ++c->out;
  }
}

/* The sums of up to 16 pixels stay in the array for `most` products, which cannot leave its 20 bits;
   then they are added to those in the accumulator. */
static void next_of_kept_sums(struct convolution *c) {
  const struct product p = product_of(c);
  const int is_last = c->step + 1 == steps_of(c) || (c->step + 1) % c->most == 0;
  configure_array(0, c->stride_x);
  ISSUE(PRELOAD, block(p.pixels, p.outputs, NO_ROWS),
        block(p.pixels, p.outputs, is_last ? p.sums | ACCUMULATE : NO_ROWS));
  const uint64_t a = block(p.pixels, p.inputs, p.a);
  const uint64_t b = block(p.inputs, p.outputs, p.weights);
  if (c->step % c->most == 0) {
    ISSUE(COMPUTE, a, b);
  } else {
    ISSUE(COMPUTE_MORE, a, b);
  }
  if (next_step(c) && next_row(c)) {
    ++c->out;
  }
}

static void issue_next(struct operation *o) {
  switch (o->kind) {
  case LOAD_IMAGE:
    next_image(&o->of.image);
    break;
  case LOAD_WEIGHTS:
    next_weights(&o->of.weights);
    break;
  case LOAD_BIAS:
    next_bias(&o->of.sums);
    break;
  case CONVOLVE:
    if (o->of.convolution.most > 0) {
      next_of_kept_sums(&o->of.convolution);
    } else {
      next_of_kept_weights(&o->of.convolution);
    }
    break;
  case STORE_SUMS:
    next_store(&o->of.sums, 4, FULL_WIDTH);
    break;
  default:
    next_store(&o->of.sums, 1, 0);
    break;
  }
  --o->left;
}

/* ---- Queues ---------------------------------------------------------------------------------- */

#define DEPTH 32 /* of a queue */
#define ROOM 4   /* instructions of each queue that Gemmini takes at once when it is idle */

/* Operations are numbered from 1 in each queue. */
static struct queue {
  struct operation ring[DEPTH];
  uint32_t started, begun, issued, complete; /* the last one of each; `begun` in part */
  uint32_t after[QUEUES];                    /* of the next operation */
  uint64_t credit;                           /* of its share of the instructions */
} queues[QUEUES];

void gemmini_reset(void) {
  is_flushed = 0;
  for (int i = 0; i < CONFIGS; ++i) {
    configs[i].is_set = 0;
  }
  for (int i = 0; i < QUEUES; ++i) {
    queues[i].started = queues[i].begun = queues[i].issued = queues[i].complete = 0;
    queues[i].credit = 0;
    for (int other = 0; other < QUEUES; ++other) {
      queues[i].after[other] = 0;
    }
  }
}

static struct operation *operation_of(int queue, uint32_t number) {
  return &queues[queue].ring[number % DEPTH];
}

/* The operation that a queue issues next, or 0. */
static struct operation *head_of(int queue) {
  const struct queue *q = &queues[queue];
  return q->issued == q->started ? 0 : operation_of(queue, q->issued + 1);
}

/* Wait for all that was issued. */
static void fence(void) {
  FENCE();
  for (int i = 0; i < QUEUES; ++i) {
    queues[i].complete = queues[i].issued;
  }
}

static int is_ready(const struct operation *o) {
  for (int other = 0; other < QUEUES; ++other) {
    if (queues[other].issued < o->after[other]) {
      return 0;
    }
  }
  return 1;
}

/* Gemmini orders what uses the same local rows, but does not compare addresses of main memory: return
   whether a fence must be between moves in the other direction and this one. */
static int needs_fence(int queue, const struct operation *o) {
  const int other = queue == LOAD ? STORE : LOAD;
  if (o->begin == o->end) {
    return 0;
  }
  for (uint32_t number = queues[other].complete; number != queues[other].begun; ++number) {
    const struct operation *earlier = operation_of(other, number + 1);
    if (earlier->begin < o->end && o->begin < earlier->end) {
      return 1;
    }
  }
  return 0;
}

static void issue_from(int queue) {
  struct queue *q = &queues[queue];
  struct operation *o = head_of(queue);
  if (q->begun == q->issued) {
    ++q->begun;
  }
  if (needs_fence(queue, o)) {
    fence();
  }
  issue_next(o);
  if (o->left == 0) {
    ++q->issued;
    q->credit = 0;
  }
}

static uint32_t left_in(int queue) {
  const struct queue *q = &queues[queue];
  uint32_t left = 0;
  for (uint32_t number = q->issued; number != q->started; ++number) {
    left += operation_of(queue, number + 1)->left;
  }
  return left;
}

/* Issue the next instruction of any queue: moves are spread over the products beside them. */
static void issue_any(void) {
  const struct operation *products = head_of(EXECUTE);
  const int multiplies = products != 0 && is_ready(products);
  for (int queue = 0; queue < QUEUES; ++queue) {
    const struct operation *o = head_of(queue);
    if (queue == EXECUTE || o == 0 || !is_ready(o)) {
      continue;
    }
    if (!multiplies) {
      issue_from(queue);
      return;
    }
    if (queues[queue].credit >= products->left) {
      queues[queue].credit -= products->left;
      issue_from(queue);
      return;
    }
    queues[queue].credit += left_in(queue);
  }
  issue_from(EXECUTE);
}

static void issue_until(int queue, uint32_t number) {
  while (queues[queue].issued < number) {
    issue_any();
  }
}

/* Give Gemmini what it takes without a stop, for the time in which the host does something else. */
static void issue_ahead(void) {
  for (int queue = 0; queue < QUEUES; ++queue) {
    for (int i = 0; i < ROOM; ++i) {
      const struct operation *o = head_of(queue);
      if (o != 0 && is_ready(o) && !needs_fence(queue, o)) {
        issue_from(queue);
      }
    }
  }
}

static struct operation *new_operation(int queue, enum kind kind) {
  struct queue *q = &queues[queue];
  if (q->started - q->issued == DEPTH) {
    issue_until(queue, q->issued + 1);
  }
  if (q->started - q->complete == DEPTH) {
    fence(); /* operations are remembered until they are complete */
  }
  struct operation *o = operation_of(queue, q->started + 1);
  o->kind = kind;
  o->begin = o->end = 0;
  for (int other = 0; other < QUEUES; ++other) {
    o->after[other] = q->after[other];
    q->after[other] = 0;
  }
  return o;
}

/* Tickets are the number of an operation and its queue. */
static uint32_t start(int queue, uint32_t moves) {
  struct queue *q = &queues[queue];
  operation_of(queue, ++q->started)->left = moves;
  return q->started << 2 | (uint32_t)queue;
}

static int32_t after(int queue, uint32_t ticket) {
  uint32_t *number = &queues[queue].after[ticket & 3u];
  if ((int)(ticket & 3u) != queue && *number < ticket >> 2) {
    *number = ticket >> 2;
  }
  return 0;
}

static int32_t wait_for(uint32_t ticket) {
  const int queue = (int)(ticket & 3u);
  issue_until(queue, ticket >> 2);
  if (queues[queue].complete < ticket >> 2) {
    fence();
    issue_ahead();
  }
  return 0;
}

/* For an operation that only reads constants and uses local memory: Gemmini orders it. */
static int32_t issue_all(uint32_t ticket) {
  issue_until((int)(ticket & 3u), ticket >> 2);
  return 0;
}

int32_t gemmini_load_wait(uint32_t ticket) { return wait_for(ticket); }
int32_t gemmini_execute_wait(uint32_t ticket) { return wait_for(ticket); }
int32_t gemmini_store_wait(uint32_t ticket) { return wait_for(ticket); }
int32_t gemmini_load_after(uint32_t ticket) { return after(LOAD, ticket); }
int32_t gemmini_execute_after(uint32_t ticket) { return after(EXECUTE, ticket); }
int32_t gemmini_store_after(uint32_t ticket) { return after(STORE, ticket); }

/* ---- Functions ------------------------------------------------------------------------------- */

uint32_t gemmini_load_weights_start(const int8_t *source, uint32_t target, int32_t extent,
                                    int32_t source_stride, int32_t target_stride, int32_t bytes) {
  const struct weights_load w = {source,          target,        (uint32_t)target_stride,
                                 (uint32_t)bytes, source_stride, 0};
  new_operation(LOAD, LOAD_WEIGHTS)->of.weights = w;
  return start(LOAD, (uint32_t)extent * moves_of(w.bytes / LANES));
}

uint32_t gemmini_load_image_start(const int8_t *image, const int8_t *border, uint32_t tile,
                                  int32_t width, int32_t depth, int32_t rows, int32_t columns,
                                  int32_t channels, int32_t top, int32_t bottom, int32_t left,
                                  int32_t right) {
  const uint32_t across = (uint32_t)(left + columns + right);
  const struct image_load l = {
      .image = image,
      .border = border,
      .tile = tile,
      .width = (uint32_t)width,
      .depth = (uint32_t)depth,
      .rows = (uint32_t)rows,
      .columns = (uint32_t)columns,
      .channels = (uint32_t)channels,
      .across = across,
      .plane = across * (uint32_t)(top + rows + bottom),
      .left = (uint32_t)left,
      .right = (uint32_t)right,
      .first = (uint32_t)top * across,
  };
  struct operation *o = new_operation(LOAD, LOAD_IMAGE);
  o->of.image = l;
  if (image_runs(&l) > 0) {
    o->begin = image;
    o->end = image + ((uint64_t)(l.rows - 1) * l.width + l.columns - 1) * l.depth + l.channels;
  }
  return start(LOAD, image_moves(&l));
}

static uint32_t move_sums(int queue, enum kind kind, const void *memory, uint32_t sums,
                          int32_t pixels, int32_t channels, uint32_t scale) {
  const struct sums_move m = {
      .memory = (const int8_t *)memory,
      .sums = sums,
      .pixels = (uint32_t)pixels,
      .channels = (uint32_t)channels,
      .scale = scale,
  };
  struct operation *o = new_operation(queue, kind);
  o->of.sums = m;
  if (queue == STORE) {
    o->begin = m.memory;
    o->end = m.memory + (uint64_t)m.pixels * m.channels * (kind == STORE_SUMS ? 4u : 1u);
  }
  return start(queue, moves_of(m.pixels) * blocks_of(m.channels));
}

uint32_t gemmini_load_bias_start(const int32_t *bias, uint32_t sums, int32_t pixels,
                                 int32_t channels) {
  return move_sums(LOAD, LOAD_BIAS, bias, sums, pixels, channels, ONE);
}

uint32_t gemmini_store_sums_start(uint32_t sums, int32_t *target, int32_t pixels,
                                  int32_t channels) {
  return move_sums(STORE, STORE_SUMS, target, sums, pixels, channels, ONE);
}

uint32_t gemmini_store_scaled_start(uint32_t sums, int8_t *target, int32_t pixels, int32_t channels,
                                    int32_t scale) {
  return move_sums(STORE, STORE_SCALED, target, sums, pixels, channels, (uint32_t)scale);
}

uint32_t gemmini_convolve_start(uint32_t image, uint32_t weights, uint32_t sums, int32_t plane,
                                int32_t width, int32_t start_row, int32_t weights_stride,
                                int32_t weights_start, int32_t block_rows, int32_t rows,
                                int32_t columns, int32_t channels, int32_t depth,
                                int32_t kernel_height, int32_t kernel_width, int32_t stride_y,
                                int32_t stride_x, int32_t dilation_y, int32_t dilation_x,
                                int32_t depthwise, int32_t steps) {
  struct convolution c = {
      .image = image + (uint32_t)start_row,
      .weights = weights + (uint32_t)weights_start,
      .sums = sums,
      .plane = (uint32_t)plane,
      .width = (uint32_t)width,
      .weights_stride = (uint32_t)weights_stride,
      .block_rows = (uint32_t)block_rows,
      .rows = (uint32_t)rows,
      .columns = (uint32_t)columns,
      .channels = (uint32_t)channels,
      .depth = (uint32_t)depth,
      .kernel_height = (uint32_t)kernel_height,
      .kernel_width = (uint32_t)kernel_width,
      .stride_y = (uint32_t)stride_y,
      .stride_x = (uint32_t)stride_x,
      .dilation_y = (uint32_t)dilation_y,
      .dilation_x = (uint32_t)dilation_x,
      .depthwise = (uint32_t)depthwise,
      .most = steps > 0 ? (uint32_t)steps : 0,
  };
  if (c.stride_y * c.width == c.columns * c.stride_x) {
    /* The next row of the result continues the last one: all pixels are one row. */
    c.columns *= c.rows;
    c.rows = 1;
  }
  new_operation(EXECUTE, CONVOLVE)->of.convolution = c;
  return start(EXECUTE, blocks_of(c.channels) * steps_of(&c) * c.rows * moves_of(c.columns));
}

int32_t gemmini_load_weights(const int8_t *source, uint32_t target, int32_t extent,
                             int32_t source_stride, int32_t target_stride, int32_t bytes) {
  return issue_all(
      gemmini_load_weights_start(source, target, extent, source_stride, target_stride, bytes));
}

int32_t gemmini_load_image(const int8_t *image, const int8_t *border, uint32_t tile, int32_t width,
                           int32_t depth, int32_t rows, int32_t columns, int32_t channels,
                           int32_t top, int32_t bottom, int32_t left, int32_t right) {
  return wait_for(gemmini_load_image_start(image, border, tile, width, depth, rows, columns,
                                           channels, top, bottom, left, right));
}

int32_t gemmini_load_bias(const int32_t *bias, uint32_t sums, int32_t pixels, int32_t channels) {
  return issue_all(gemmini_load_bias_start(bias, sums, pixels, channels));
}

int32_t gemmini_convolve(uint32_t image, uint32_t weights, uint32_t sums, int32_t plane,
                         int32_t width, int32_t start_row, int32_t weights_stride,
                         int32_t weights_start, int32_t block_rows, int32_t rows, int32_t columns,
                         int32_t channels, int32_t depth, int32_t kernel_height,
                         int32_t kernel_width, int32_t stride_y, int32_t stride_x,
                         int32_t dilation_y, int32_t dilation_x, int32_t depthwise, int32_t steps) {
  return issue_all(gemmini_convolve_start(image, weights, sums, plane, width, start_row,
                                          weights_stride, weights_start, block_rows, rows, columns,
                                          channels, depth, kernel_height, kernel_width, stride_y,
                                          stride_x, dilation_y, dilation_x, depthwise, steps));
}

int32_t gemmini_store_sums(uint32_t sums, int32_t *target, int32_t pixels, int32_t channels) {
  return wait_for(gemmini_store_sums_start(sums, target, pixels, channels));
}

int32_t gemmini_store_scaled(uint32_t sums, int8_t *target, int32_t pixels, int32_t channels,
                             int32_t scale) {
  return wait_for(gemmini_store_scaled_start(sums, target, pixels, channels, scale));
}

int32_t gemmini_store_pooled(uint32_t sums, int8_t *target, int32_t rows, int32_t columns,
                             int32_t channels, int32_t window, int32_t stride, int32_t scale) {
  const uint64_t pooled_rows = (uint64_t)((rows - window) / stride + 1);
  const uint64_t pooled_columns = (uint64_t)((columns - window) / stride + 1);
  configure(ST,
            (uint64_t)(uint32_t)columns << 56 | (uint64_t)(uint32_t)rows << 48 |
                pooled_columns << 40 | pooled_rows << 32 | pooled_columns << 24 |
                (uint64_t)(uint32_t)window << 6 | (uint64_t)(uint32_t)stride << 4 | 2u,
            (uint64_t)(uint32_t)scale << 32 | (uint32_t)channels);
  for (uint32_t channel = 0; channel < (uint32_t)channels; channel += LANES) {
    const uint32_t lanes = at_most((uint32_t)channels - channel, LANES);
    ISSUE(MVOUT, (uint64_t)(uintptr_t)(target + channel), block(1, lanes, sums));
    sums += (uint32_t)(rows * columns);
  }
  fence();
  return 0;
}
