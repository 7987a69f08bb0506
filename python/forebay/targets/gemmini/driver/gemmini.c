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

void gemmini_reset(void) {
  is_flushed = 0;
  for (int i = 0; i < CONFIGS; ++i) {
    configs[i].is_set = 0;
  }
}

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

/* ---- Moves in -------------------------------------------------------------------------------- */

/* Gemmini orders moves and products that use the same local rows. A fence is needed where the host, or a
   later move out, may write what a move in reads: not for constants. */

int32_t gemmini_load_weights(const int8_t *source, uint32_t target, int32_t extent,
                             int32_t source_stride, int32_t target_stride, int32_t bytes) {
  configure_load(WEIGHTS, LANES, LANES);
  for (int32_t piece = 0; piece < extent; ++piece) {
    const uint32_t rows = (uint32_t)bytes / LANES;
    for (uint32_t row = 0; row < rows; row += LANES) {
      move_in(WEIGHTS, source + row * LANES, target + row, at_most(rows - row, LANES), LANES);
    }
    source += source_stride;
    target += (uint32_t)target_stride;
  }
  return 0;
}

/* Move `pixels`, which are consecutive in the scratchpad, for all channels of each. */
static void move_pixels(int which, const int8_t *from, uint32_t pixel_bytes, uint32_t to,
                        uint32_t plane, uint32_t pixels, uint32_t channels) {
  /* A move of several blocks needs them at least 16 rows apart. */
  const uint32_t most = plane < LANES ? LANES : MOVED_COLUMNS;
  for (uint32_t channel = 0; channel < channels; channel += most) {
    const uint32_t columns = at_most(channels - channel, most);
    const uint32_t first = to + channel / LANES * plane;
    const int8_t *source = which == IMAGE ? from + channel : from;
    for (uint32_t pixel = 0; pixel < pixels; pixel += LANES) {
      move_in(which, source + (uint64_t)pixel * pixel_bytes, first + pixel,
              at_most(pixels - pixel, LANES), columns);
    }
  }
}

int32_t gemmini_load_image(const int8_t *image, const int8_t *border, uint32_t tile, int32_t width,
                           int32_t depth, int32_t rows, int32_t columns, int32_t channels,
                           int32_t top, int32_t bottom, int32_t left, int32_t right) {
  const uint32_t across = (uint32_t)(left + columns + right);
  const uint32_t plane = across * (uint32_t)(top + rows + bottom);
  const uint32_t lanes = (uint32_t)channels, sides = (uint32_t)(left + right);
  const uint32_t first = (uint32_t)top * across, bytes = (uint32_t)depth;
  if (rows == 0 || columns == 0) {
    configure_load(CONSTANTS, 0, plane);
    move_pixels(CONSTANTS, border, 0, tile, plane, plane, lanes);
    return 0;
  }
  if (top + bottom + left + right > 0) {
    configure_load(CONSTANTS, 0, plane);
    /* The sides of a row follow those of the row before it. */
    move_pixels(CONSTANTS, border, 0, tile, plane, first + (uint32_t)left, lanes);
    for (int32_t row = 0; row + 1 < rows && sides > 0; ++row) {
      const uint32_t end = first + (uint32_t)(row + 1) * across;
      move_pixels(CONSTANTS, border, 0, tile + end - (uint32_t)right, plane, sides, lanes);
    }
    const uint32_t end = first + (uint32_t)rows * across - (uint32_t)right;
    move_pixels(CONSTANTS, border, 0, tile + end, plane, plane - end, lanes);
  }
  configure_load(IMAGE, bytes, plane);
  const int8_t *from = image;
  const int is_whole = sides == 0 && columns == width;
  const uint32_t run = (uint32_t)columns * (is_whole ? (uint32_t)rows : 1u);
  for (int32_t row = 0; row < (is_whole ? 1 : rows); ++row) {
    move_pixels(IMAGE, from, bytes, tile + first + (uint32_t)row * across + (uint32_t)left, plane,
                run, lanes);
    from += (uint64_t)width * bytes;
  }
  FENCE();
  return 0;
}

int32_t gemmini_load_bias(const int32_t *bias, uint32_t sums, int32_t pixels, int32_t channels) {
  configure_load(CONSTANTS, 0, LANES);
  for (uint32_t channel = 0; channel < (uint32_t)channels; channel += LANES) {
    const uint32_t lanes = at_most((uint32_t)channels - channel, LANES);
    for (uint32_t pixel = 0; pixel < (uint32_t)pixels; pixel += LANES) {
      move_in(CONSTANTS, bias + channel, sums + pixel, at_most((uint32_t)pixels - pixel, LANES),
              lanes);
    }
    sums += (uint32_t)pixels;
  }
  return 0;
}

/* ---- Products -------------------------------------------------------------------------------- */

/* One convolution: where its operands are, and its sizes. */
struct convolution {
  uint32_t image, weights, sums;           /* local rows */
  uint32_t plane, width, weights_stride;   /* local rows */
  uint32_t block_rows;                     /* local rows of a block of weights */
  uint32_t rows, columns, channels, depth; /* of the result; inputs of each */
  uint32_t kernel_height, kernel_width;
  uint32_t stride_y, stride_x, dilation_y, dilation_x;
  uint32_t depthwise;
};

/* The product of up to 16 pixels with one block of weights. */
struct product {
  uint32_t a, weights, sums; /* local rows */
  uint32_t pixels, inputs, outputs;
};

static uint32_t inputs_of(const struct convolution *c, uint32_t out, uint32_t in) {
  if (c->depthwise) {
    return at_most(c->channels - out * LANES, LANES);
  }
  return at_most(c->depth - in * LANES, LANES);
}

/* The product number `step` of the reduction, for pixels from `pixel` of row `row`. */
static struct product product_of(const struct convolution *c, uint32_t out, uint32_t step,
                                 uint32_t row, uint32_t pixel) {
  const uint32_t taps = c->kernel_height * c->kernel_width;
  const uint32_t in = step / taps, ky = step % taps / c->kernel_width, kx = step % c->kernel_width;
  const uint32_t source = c->depthwise ? out : in;
  struct product p;
  p.a = c->image + source * c->plane + (row * c->stride_y + ky * c->dilation_y) * c->width +
        pixel * c->stride_x + kx * c->dilation_x;
  p.weights = c->weights + out * c->weights_stride + step * c->block_rows;
  p.sums = c->sums + out * c->rows * c->columns + row * c->columns + pixel;
  p.pixels = at_most(c->columns - pixel, LANES);
  p.inputs = inputs_of(c, out, in);
  p.outputs = at_most(c->channels - out * LANES, LANES);
  return p;
}

static uint32_t steps_of(const struct convolution *c) {
  return (c->depthwise ? 1u : blocks_of(c->depth)) * c->kernel_height * c->kernel_width;
}

/* A block of weights stays in the array while all pixels are multiplied. Each compute has a preload,
   which names where its sums are added; only the first names the weights. */
static void keep_weights(const struct convolution *c) {
  configure_array(1, c->stride_x);
  for (uint32_t out = 0; out < blocks_of(c->channels); ++out) {
    for (uint32_t step = 0; step < steps_of(c); ++step) {
      int is_loaded = 0;
      for (uint32_t row = 0; row < c->rows; ++row) {
        for (uint32_t pixel = 0; pixel < c->columns; pixel += LANES) {
          const struct product p = product_of(c, out, step, row, pixel);
          const uint64_t sums = block(p.pixels, p.outputs, p.sums | ACCUMULATE);
          const uint64_t a = block(p.pixels, p.inputs, p.a);
          const uint64_t no_d = block(p.pixels, p.outputs, NO_ROWS);
          if (is_loaded) {
            ISSUE(PRELOAD, block(p.inputs, p.outputs, NO_ROWS), sums);
            ISSUE(COMPUTE_MORE, a, no_d);
          } else {
            ISSUE(PRELOAD, block(p.inputs, p.outputs, p.weights), sums);
            ISSUE(COMPUTE, a, no_d);
          }
          is_loaded = 1;
        }
      }
    }
  }
}

/* The sums of up to 16 pixels stay in the array for `most` products, which cannot leave its 20 bits;
   then they are added to those in the accumulator. */
static void keep_sums(const struct convolution *c, uint32_t most) {
  const uint32_t steps = steps_of(c);
  configure_array(0, c->stride_x);
  for (uint32_t out = 0; out < blocks_of(c->channels); ++out) {
    for (uint32_t row = 0; row < c->rows; ++row) {
      for (uint32_t pixel = 0; pixel < c->columns; pixel += LANES) {
        for (uint32_t step = 0; step < steps; ++step) {
          const struct product p = product_of(c, out, step, row, pixel);
          const int is_first = step % most == 0;
          const int is_last = step + 1 == steps || (step + 1) % most == 0;
          const uint64_t a = block(p.pixels, p.inputs, p.a);
          const uint64_t b = block(p.inputs, p.outputs, p.weights);
          ISSUE(PRELOAD, block(p.pixels, p.outputs, NO_ROWS),
                block(p.pixels, p.outputs, is_last ? p.sums | ACCUMULATE : NO_ROWS));
          if (is_first) {
            ISSUE(COMPUTE, a, b);
          } else {
            ISSUE(COMPUTE_MORE, a, b);
          }
        }
      }
    }
  }
}

int32_t gemmini_convolve(uint32_t image, uint32_t weights, uint32_t sums, int32_t plane,
                         int32_t width, int32_t start, int32_t weights_stride,
                         int32_t weights_start, int32_t block_rows, int32_t rows, int32_t columns,
                         int32_t channels, int32_t depth, int32_t kernel_height,
                         int32_t kernel_width, int32_t stride_y, int32_t stride_x,
                         int32_t dilation_y, int32_t dilation_x, int32_t depthwise, int32_t steps) {
  struct convolution c = {
      .image = image + (uint32_t)start,
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
  };
  if (c.stride_y * c.width == c.columns * c.stride_x) {
    /* The next row of the result continues the last one: all pixels are one row. */
    c.columns *= c.rows;
    c.rows = 1;
  }
  if (steps > 0) {
    keep_sums(&c, (uint32_t)steps);
  } else {
    keep_weights(&c);
  }
  return 0;
}

/* ---- Moves out ------------------------------------------------------------------------------- */

int32_t gemmini_store_sums(uint32_t sums, int32_t *target, int32_t pixels, int32_t channels) {
  configure_store((uint32_t)channels * 4u, ONE);
  for (uint32_t channel = 0; channel < (uint32_t)channels; channel += LANES) {
    const uint32_t lanes = at_most((uint32_t)channels - channel, LANES);
    for (uint32_t pixel = 0; pixel < (uint32_t)pixels; pixel += LANES) {
      const int32_t *to = target + (uint64_t)pixel * (uint32_t)channels + channel;
      ISSUE(MVOUT, (uint64_t)(uintptr_t)to,
            block(at_most((uint32_t)pixels - pixel, LANES), lanes, (sums + pixel) | FULL_WIDTH));
    }
    sums += (uint32_t)pixels;
  }
  FENCE();
  return 0;
}

int32_t gemmini_store_scaled(uint32_t sums, int8_t *target, int32_t pixels, int32_t channels,
                             int32_t scale) {
  configure_store((uint32_t)channels, (uint32_t)scale);
  for (uint32_t channel = 0; channel < (uint32_t)channels; channel += LANES) {
    const uint32_t lanes = at_most((uint32_t)channels - channel, LANES);
    for (uint32_t pixel = 0; pixel < (uint32_t)pixels; pixel += LANES) {
      const int8_t *to = target + (uint64_t)pixel * (uint32_t)channels + channel;
      ISSUE(MVOUT, (uint64_t)(uintptr_t)to,
            block(at_most((uint32_t)pixels - pixel, LANES), lanes, sums + pixel));
    }
    sums += (uint32_t)pixels;
  }
  FENCE();
  return 0;
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
  FENCE();
  return 0;
}
