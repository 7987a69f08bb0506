/* The functions of arm_nnfunctions.h in plain C, with the values of TFLite's reference kernels.
   CMSIS_NN_DSP or CMSIS_NN_MVE select the sizes of context buffers. A function that is given a
   smaller buffer, or dimensions that do not fit together, returns an error; a buffer is overwritten
   as a whole, so one that overlaps something else changes results. */
#include "arm_nnfunctions.h"

#include <stddef.h>

#if defined(CMSIS_NN_MVE)
enum { DSP = 0, MVE = 1 };
#elif defined(CMSIS_NN_DSP)
enum { DSP = 1, MVE = 0 };
#else
enum { DSP = 0, MVE = 0 };
#endif

static int32_t larger(int32_t a, int32_t b) { return a > b ? a : b; }

static int32_t rounded_up(int32_t a, int32_t b) { return (a + b - 1) / b; }

static int32_t clamped(int32_t value, const cmsis_nn_activation *range) {
  return value < range->min ? range->min : value > range->max ? range->max : value;
}

/* SaturatingRoundingDoublingHighMul and RoundingDivideByPOT of gemmlowp. */
static int32_t high_product(int32_t a, int32_t b) {
  const int64_t product = (int64_t)a * b;
  const int64_t nudge = product >= 0 ? INT64_C(1) << 30 : 1 - (INT64_C(1) << 30);
  return (int32_t)((product + nudge) / (INT64_C(1) << 31));
}

static int32_t divided(int32_t value, int32_t bits) {
  const int32_t mask = (int32_t)((INT64_C(1) << bits) - 1);
  const int32_t remainder = value & mask;
  const int32_t threshold = (mask >> 1) + (value < 0 ? 1 : 0);
  return (value >> bits) + (remainder > threshold ? 1 : 0);
}

static int32_t requantized(int32_t value, int32_t multiplier, int32_t shift) {
  const int32_t left = shift > 0 ? shift : 0;
  const int32_t right = shift > 0 ? 0 : -shift;
  return divided(high_product((int32_t)((uint32_t)value << left), multiplier), right);
}

/* Overwrites the buffer, or returns an error if it is too small. */
static arm_cmsis_nn_status used(const cmsis_nn_context *ctx, int32_t needed) {
  volatile uint8_t *bytes = ctx->buf;
  if (ctx->size < needed || (needed > 0 && bytes == NULL)) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  for (int32_t i = 0; i < needed; ++i) {
    bytes[i] = (uint8_t)(0xA5 ^ i);
  }
  return ARM_CMSIS_NN_SUCCESS;
}

static int32_t bytes_of_row(int32_t padding, int32_t stride, int32_t out, int32_t width,
                            int32_t filter, int32_t depth, int32_t otherwise) {
  const int32_t missing = (out - 1) * stride + filter - width;
  const int32_t odd = missing & 1;
  int32_t right = 0;
  int32_t left = 0;
  if (padding + odd != 0) {
    right = larger(1, rounded_up(padding + odd, stride));
  }
  if (padding != 0) {
    left = larger(1, rounded_up(padding, stride));
  }
  if (left + larger(out - left - right, 0) + right != out) {
    return otherwise;
  }
  return larger(filter * depth + padding * depth,
                (filter - 1) * depth + (odd ? right : padding) * depth);
}

static int32_t bytes_of_convolution(const cmsis_nn_tile *stride, const cmsis_nn_tile *padding,
                                    const cmsis_nn_tile *dilation, const cmsis_nn_dims *input,
                                    const cmsis_nn_dims *filter, const cmsis_nn_dims *output) {
  const int32_t taps = filter->h * filter->w * input->c;
  const int dilated = dilation->w != 1 || dilation->h != 1;
  if (filter->w == 1 && filter->h == 1 && padding->w == 0 && padding->h == 0 && !dilated &&
      input->c == filter->c) {
    return DSP && stride->w == 1 && stride->h == 1 ? 4 * input->c : 0;
  }
  if (!MVE) {
    return 4 * (rounded_up(taps, 4) * 4);
  }
  if (input->h == 1 && filter->h == 1 && !dilated && stride->w * input->c % 4 == 0 &&
      input->c == filter->c) {
    return bytes_of_row(padding->w, stride->w, output->w, input->w, filter->w, input->c,
                        64 * rounded_up(taps, 16));
  }
  return 64 * rounded_up(taps, 16);
}

static int32_t bytes_of_depthwise(const cmsis_nn_dw_conv_params *p, const cmsis_nn_dims *input,
                                  const cmsis_nn_dims *filter, const cmsis_nn_dims *output) {
  const int32_t taps = filter->h * filter->w;
  if (input->c == output->c) {
    if (MVE) {
      return 496 * taps;
    }
    if (filter->h == 3 && filter->w == 3 && p->padding.h <= 1 && p->padding.w <= 1) {
      return 0;
    }
    return DSP ? 2 * taps * input->c : 0;
  }
  if (MVE && input->c == 1 && output->c > 1) {
    /* The filter with a batch of 1 and all channels becomes one of a convolution. */
    const cmsis_nn_dims dense = {output->c, filter->h, filter->w, 1};
    return bytes_of_convolution(&p->stride, &p->padding, &p->dilation, input, &dense, output) +
           filter->c * filter->h * filter->w * filter->n;
  }
  return 0;
}

/* Whether an element of the input is inside, and its index. */
static int is_inside(int32_t y, int32_t x, const cmsis_nn_dims *input) {
  return y >= 0 && y < input->h && x >= 0 && x < input->w;
}

arm_cmsis_nn_status arm_convolve_wrapper_s8(const cmsis_nn_context *ctx,
                                            const cmsis_nn_conv_params *p,
                                            const cmsis_nn_per_channel_quant_params *q,
                                            const cmsis_nn_dims *input, const int8_t *x,
                                            const cmsis_nn_dims *filter, const int8_t *w,
                                            const cmsis_nn_dims *bias_dims, const int32_t *bias,
                                            const cmsis_nn_dims *output, int8_t *y) {
  if (filter->c != input->c || filter->n != output->c || input->n != output->n ||
      bias_dims->c != output->c) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  const arm_cmsis_nn_status status =
      used(ctx, bytes_of_convolution(&p->stride, &p->padding, &p->dilation, input, filter, output));
  if (status != ARM_CMSIS_NN_SUCCESS) {
    return status;
  }
  for (int32_t i = 0; i < output->n * output->h * output->w * output->c; ++i) {
    const int32_t channel = i % output->c;
    const int32_t column = i / output->c % output->w;
    const int32_t row = i / output->c / output->w % output->h;
    const int8_t *image =
        x + i / output->c / output->w / output->h * input->h * input->w * input->c;
    int32_t sum = bias != NULL ? bias[channel] : 0;
    for (int32_t ky = 0; ky < filter->h; ++ky) {
      for (int32_t kx = 0; kx < filter->w; ++kx) {
        const int32_t at_y = row * p->stride.h + ky * p->dilation.h - p->padding.h;
        const int32_t at_x = column * p->stride.w + kx * p->dilation.w - p->padding.w;
        if (!is_inside(at_y, at_x, input)) {
          continue;
        }
        for (int32_t k = 0; k < input->c; ++k) {
          sum += (image[(at_y * input->w + at_x) * input->c + k] + p->input_offset) *
                 w[((channel * filter->h + ky) * filter->w + kx) * filter->c + k];
        }
      }
    }
    sum = requantized(sum, q->multiplier[channel], q->shift[channel]) + p->output_offset;
    y[i] = (int8_t)clamped(sum, &p->activation);
  }
  return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_depthwise_conv_wrapper_s8(
    const cmsis_nn_context *ctx, const cmsis_nn_dw_conv_params *p,
    const cmsis_nn_per_channel_quant_params *q, const cmsis_nn_dims *input, const int8_t *x,
    const cmsis_nn_dims *filter, const int8_t *w, const cmsis_nn_dims *bias_dims,
    const int32_t *bias, const cmsis_nn_dims *output, int8_t *y) {
  if (filter->n != 1 || filter->c != output->c || input->c * p->ch_mult != output->c ||
      input->n != 1 || output->n != 1 || bias_dims->c != output->c || p->dilation.h != 1 ||
      p->dilation.w != 1) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  const arm_cmsis_nn_status status = used(ctx, bytes_of_depthwise(p, input, filter, output));
  if (status != ARM_CMSIS_NN_SUCCESS) {
    return status;
  }
  for (int32_t i = 0; i < output->h * output->w * output->c; ++i) {
    const int32_t channel = i % output->c;
    const int32_t column = i / output->c % output->w;
    const int32_t row = i / output->c / output->w;
    int32_t sum = bias != NULL ? bias[channel] : 0;
    for (int32_t ky = 0; ky < filter->h; ++ky) {
      for (int32_t kx = 0; kx < filter->w; ++kx) {
        const int32_t at_y = row * p->stride.h + ky - p->padding.h;
        const int32_t at_x = column * p->stride.w + kx - p->padding.w;
        if (is_inside(at_y, at_x, input)) {
          const int32_t at = (at_y * input->w + at_x) * input->c + channel / p->ch_mult;
          sum += (x[at] + p->input_offset) * w[(ky * filter->w + kx) * filter->c + channel];
        }
      }
    }
    sum = requantized(sum, q->multiplier[channel], q->shift[channel]) + p->output_offset;
    y[i] = (int8_t)clamped(sum, &p->activation);
  }
  return ARM_CMSIS_NN_SUCCESS;
}

static arm_cmsis_nn_status fully_connected(const cmsis_nn_context *ctx, const cmsis_nn_fc_params *p,
                                           const cmsis_nn_quant_params *q,
                                           const cmsis_nn_dims *input, const int8_t *x,
                                           const cmsis_nn_dims *filter, const int8_t *w,
                                           const cmsis_nn_dims *bias_dims, const int32_t *bias,
                                           const cmsis_nn_dims *output, int8_t *y) {
  const int32_t *sums = ctx->buf;
  if (input->h * input->w * input->c != filter->n || filter->c != output->c ||
      input->n != output->n || filter->h != 1 || filter->w != 1 || bias_dims->c != output->c) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  if (MVE && (sums == NULL || ctx->size < 4 * filter->c || (uintptr_t)sums % 4 != 0)) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  for (int32_t i = 0; i < output->n * output->c; ++i) {
    const int32_t channel = i % output->c;
    const int32_t factor = q->is_per_channel ? channel : 0;
    int32_t sum = MVE ? sums[channel] : bias != NULL ? bias[channel] : 0;
    for (int32_t k = 0; k < filter->n; ++k) {
      const int32_t value = x[i / output->c * filter->n + k];
      const int32_t weight = w[channel * filter->n + k] + p->filter_offset;
      sum += (MVE ? value : value + p->input_offset) * weight;
    }
    sum = requantized(sum, q->multiplier[factor], q->shift[factor]) + p->output_offset;
    y[i] = (int8_t)clamped(sum, &p->activation);
  }
  return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_fully_connected_s8(const cmsis_nn_context *ctx, const cmsis_nn_fc_params *p,
                                           const cmsis_nn_per_tensor_quant_params *q,
                                           const cmsis_nn_dims *input, const int8_t *x,
                                           const cmsis_nn_dims *filter, const int8_t *w,
                                           const cmsis_nn_dims *bias_dims, const int32_t *bias,
                                           const cmsis_nn_dims *output, int8_t *y) {
  int32_t multiplier = q->multiplier;
  int32_t shift = q->shift;
  const cmsis_nn_quant_params one = {&multiplier, &shift, 0};
  return fully_connected(ctx, p, &one, input, x, filter, w, bias_dims, bias, output, y);
}

arm_cmsis_nn_status arm_fully_connected_wrapper_s8(
    const cmsis_nn_context *ctx, const cmsis_nn_fc_params *p, const cmsis_nn_quant_params *q,
    const cmsis_nn_dims *input, const int8_t *x, const cmsis_nn_dims *filter, const int8_t *w,
    const cmsis_nn_dims *bias_dims, const int32_t *bias, const cmsis_nn_dims *output, int8_t *y) {
  return fully_connected(ctx, p, q, input, x, filter, w, bias_dims, bias, output, y);
}

arm_cmsis_nn_status arm_vector_sum_s8(int32_t *sums, const int32_t columns, const int32_t rows,
                                      const int8_t *data, const int32_t lhs_offset,
                                      const int32_t rhs_offset, const int32_t *bias) {
  for (int32_t row = 0; row < rows; ++row) {
    int32_t sum = 0;
    for (int32_t k = 0; k < columns; ++k) {
      sum += data[row * columns + k] + rhs_offset;
    }
    sums[row] = sum * lhs_offset + (bias != NULL ? bias[row] : 0);
  }
  return ARM_CMSIS_NN_SUCCESS;
}

static arm_cmsis_nn_status pooled(const cmsis_nn_pool_params *p, const cmsis_nn_dims *input,
                                  const int8_t *x, const cmsis_nn_dims *filter,
                                  const cmsis_nn_dims *output, int8_t *y, int is_mean) {
  if (input->c != output->c || input->n != output->n || input->n != 1) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  for (int32_t i = 0; i < output->h * output->w * output->c; ++i) {
    const int32_t channel = i % output->c;
    const int32_t column = i / output->c % output->w;
    const int32_t row = i / output->c / output->w;
    int32_t sum = 0;
    int32_t count = 0;
    int32_t most = -128;
    for (int32_t ky = 0; ky < filter->h; ++ky) {
      for (int32_t kx = 0; kx < filter->w; ++kx) {
        const int32_t at_y = row * p->stride.h + ky - p->padding.h;
        const int32_t at_x = column * p->stride.w + kx - p->padding.w;
        if (is_inside(at_y, at_x, input)) {
          const int32_t value = x[(at_y * input->w + at_x) * input->c + channel];
          sum += value;
          count += 1;
          most = larger(most, value);
        }
      }
    }
    if (is_mean) {
      if (count == 0) {
        return ARM_CMSIS_NN_ARG_ERROR;
      }
      most = sum > 0 ? (sum + count / 2) / count : (sum - count / 2) / count;
    }
    y[i] = (int8_t)clamped(most, &p->activation);
  }
  return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_avgpool_s8(const cmsis_nn_context *ctx, const cmsis_nn_pool_params *p,
                                   const cmsis_nn_dims *input, const int8_t *x,
                                   const cmsis_nn_dims *filter, const cmsis_nn_dims *output,
                                   int8_t *y) {
  const arm_cmsis_nn_status status = used(ctx, DSP ? 4 * input->c : 0);
  return status != ARM_CMSIS_NN_SUCCESS ? status : pooled(p, input, x, filter, output, y, 1);
}

arm_cmsis_nn_status arm_max_pool_s8(const cmsis_nn_context *ctx, const cmsis_nn_pool_params *p,
                                    const cmsis_nn_dims *input, const int8_t *x,
                                    const cmsis_nn_dims *filter, const cmsis_nn_dims *output,
                                    int8_t *y) {
  (void)ctx;
  return pooled(p, input, x, filter, output, y, 0);
}

arm_cmsis_nn_status arm_elementwise_add_s8(const int8_t *x, const int8_t *other,
                                           const int32_t x_offset, const int32_t x_mult,
                                           const int32_t x_shift, const int32_t other_offset,
                                           const int32_t other_mult, const int32_t other_shift,
                                           const int32_t left_shift, int8_t *y,
                                           const int32_t out_offset, const int32_t out_mult,
                                           const int32_t out_shift, const int32_t low,
                                           const int32_t high, const int32_t count) {
  const cmsis_nn_activation range = {low, high};
  for (int32_t i = 0; i < count; ++i) {
    const int32_t one = (x[i] + x_offset) * (1 << left_shift);
    const int32_t two = (other[i] + other_offset) * (1 << left_shift);
    const int32_t sum =
        requantized(one, x_mult, x_shift) + requantized(two, other_mult, other_shift);
    y[i] = (int8_t)clamped(requantized(sum, out_mult, out_shift) + out_offset, &range);
  }
  return ARM_CMSIS_NN_SUCCESS;
}

/* exp of a Q5.26 that is at most 0, in Q0.31 (gemmlowp's exp_on_negative_values). */
static int32_t exponential(int32_t x) {
  static const int32_t factors[] = {1672461947, 1302514674, 790015084, 290630308,
                                    39332535,   720401,     242};
  if (x == 0) {
    return INT32_MAX;
  }
  const int32_t rest = (x & 0xFFFFFF) - 0x1000000;
  const int32_t t = rest * 32 + (1 << 28);
  const int32_t t2 = high_product(t, t);
  const int32_t t3 = high_product(t2, t);
  const int32_t t4 = divided(high_product(t2, t2), 2);
  const int32_t series = divided(high_product(t4 + t3, 715827883) + t2, 1);
  int32_t result = 1895147668 + high_product(1895147668, t + series);
  for (int k = 0; k < 7; ++k) {
    if ((rest - x) & (0x1000000 << k)) {
      result = high_product(result, factors[k]);
    }
  }
  return result;
}

/* 1 / (1 + x) in Q0.31 of a Q0.31. */
static int32_t reciprocal(int32_t x) {
  const int32_t half = (int32_t)(((int64_t)x + INT32_MAX + 1) / 2);
  int32_t guess = 1515870810 + high_product(half, -1010580540);
  for (int k = 0; k < 3; ++k) {
    guess += high_product(guess, (1 << 29) - high_product(half, guess)) * 4;
  }
  return guess > INT32_MAX / 2 ? INT32_MAX : guess * 2;
}

void arm_softmax_s8(const int8_t *input, const int32_t rows, const int32_t columns,
                    const int32_t mult, const int32_t shift, const int32_t diff_min,
                    int8_t *output) {
  const cmsis_nn_activation range = {-128, 127};
  for (int32_t row = 0; row < rows; ++row, input += columns, output += columns) {
    int32_t most = input[0];
    int32_t sum = 0;
    int32_t zeros = 0;
    for (int32_t k = 1; k < columns; ++k) {
      most = larger(most, input[k]);
    }
    for (int32_t k = 0; k < columns; ++k) {
      if (input[k] - most >= diff_min) {
        sum += divided(exponential(high_product((input[k] - most) * (1 << shift), mult)), 12);
      }
    }
    while (!((uint32_t)sum << zeros & 0x80000000u)) {
      ++zeros;
    }
    const int32_t scale = reciprocal((int32_t)(((uint32_t)sum << zeros) & 0x7FFFFFFFu));
    for (int32_t k = 0; k < columns; ++k) {
      int32_t value = -128;
      if (input[k] - most >= diff_min) {
        const int32_t e = exponential(high_product((input[k] - most) * (1 << shift), mult));
        value += divided(high_product(scale, e), 12 + 23 - zeros);
      }
      output[k] = (int8_t)clamped(value, &range);
    }
  }
}
