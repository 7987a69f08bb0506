/* A driver of Gemmini, 16x16: the functions that compiled networks call.

   It needs no C library. Addresses inside of Gemmini count rows: 0 upwards in the scratchpad,
   0x80000000 upwards in the accumulator. Images in the scratchpad are [blocks][rows][columns][16],
   weights [output blocks][input blocks][kernel rows][kernel columns][inputs][16], with 16 inputs in a
   block or all of them, if they are fewer. Sums in the accumulator are [blocks][rows][columns][16].

   All functions but those that start operations return 0. When one returns, Gemmini has read and
   written all main memory that was given to it, except weights, biases and borders: these are constants,
   which nothing writes while a network runs, so their moves may go on while the array computes.

   A function NAME_start returns a ticket at once. The instructions of what was started are issued while
   the host waits: loads between the products that they do not need, since Gemmini takes instructions in
   program order. gemmini_<queue>_wait returns when an operation is complete; gemmini_<queue>_after lets
   the next operation of a queue follow an operation of another one. Gemmini itself orders what uses the
   same local rows, so an order becomes a fence only if both move the same main memory.

   On RISC-V the instructions are those of the RoCC interface. Elsewhere, and with GEMMINI_HOOK, the
   application defines gemmini_issue and gemmini_fence, which an interpreter may be behind. */
#ifndef FOREBAY_GEMMINI_H
#define FOREBAY_GEMMINI_H

#include <stdint.h>

#if !defined(__riscv) && !defined(GEMMINI_HOOK)
#define GEMMINI_HOOK 1
#endif

#ifdef __cplusplus
extern "C" {
#endif

#ifdef GEMMINI_HOOK
void gemmini_issue(uint32_t funct, uint64_t rs1, uint64_t rs2);
void gemmini_fence(void);
#endif

/* Forget all configurations: call it after other code has used Gemmini. */
void gemmini_reset(void);

/* Move `bytes`, a multiple of 16, for each of `extent` pieces of weights to the scratchpad. */
int32_t gemmini_load_weights(const int8_t *source, uint32_t target, int32_t extent,
                             int32_t source_stride, int32_t target_stride, int32_t bytes);

/* Move `rows` x `columns` pixels of `channels` channels to the scratchpad, from an image with `width`
   pixels of `depth` bytes in a row; `image` is the first channel of the first pixel. Around them are
   `top`, `bottom`, `left` and `right` rows and columns with the 64 equal bytes of `border`. */
int32_t gemmini_load_image(const int8_t *image, const int8_t *border, uint32_t tile, int32_t width,
                           int32_t depth, int32_t rows, int32_t columns, int32_t channels,
                           int32_t top, int32_t bottom, int32_t left, int32_t right);

/* Set the sums of `pixels` to the biases of `channels`. */
int32_t gemmini_load_bias(const int32_t *bias, uint32_t sums, int32_t pixels, int32_t channels);

/* Add the products of a convolution to sums [blocks][rows][columns][16]. Blocks of the image are
   `plane` rows of the scratchpad apart, rows of the image `width`; the image begins `start` rows
   behind `image`. The weights of an output block are `weights_stride` rows apart and begin
   `weights_start` rows behind `weights`; a block has `block_rows` rows. With `steps`, sums stay in the array for up to so many
   products of 16x16 (output stationary); with 0, weights do (weight stationary). */
int32_t gemmini_convolve(uint32_t image, uint32_t weights, uint32_t sums, int32_t plane,
                         int32_t width, int32_t start, int32_t weights_stride,
                         int32_t weights_start, int32_t block_rows, int32_t rows, int32_t columns,
                         int32_t channels, int32_t depth, int32_t kernel_height,
                         int32_t kernel_width, int32_t stride_y, int32_t stride_x,
                         int32_t dilation_y, int32_t dilation_x, int32_t depthwise, int32_t steps);

/* Move the sums of `pixels` to memory [pixels][channels]. */
int32_t gemmini_store_sums(uint32_t sums, int32_t *target, int32_t pixels, int32_t channels);

/* Move the sums of `pixels`, times `scale` (the bits of a float) and rounded to int8, to memory
   [pixels][channels]. */
int32_t gemmini_store_scaled(uint32_t sums, int8_t *target, int32_t pixels, int32_t channels,
                             int32_t scale);

/* Start the functions above. */
uint32_t gemmini_load_weights_start(const int8_t *source, uint32_t target, int32_t extent,
                                    int32_t source_stride, int32_t target_stride, int32_t bytes);
uint32_t gemmini_load_image_start(const int8_t *image, const int8_t *border, uint32_t tile,
                                  int32_t width, int32_t depth, int32_t rows, int32_t columns,
                                  int32_t channels, int32_t top, int32_t bottom, int32_t left,
                                  int32_t right);
uint32_t gemmini_load_bias_start(const int32_t *bias, uint32_t sums, int32_t pixels,
                                 int32_t channels);
uint32_t gemmini_convolve_start(uint32_t image, uint32_t weights, uint32_t sums, int32_t plane,
                                int32_t width, int32_t start, int32_t weights_stride,
                                int32_t weights_start, int32_t block_rows, int32_t rows,
                                int32_t columns, int32_t channels, int32_t depth,
                                int32_t kernel_height, int32_t kernel_width, int32_t stride_y,
                                int32_t stride_x, int32_t dilation_y, int32_t dilation_x,
                                int32_t depthwise, int32_t steps);
uint32_t gemmini_store_sums_start(uint32_t sums, int32_t *target, int32_t pixels, int32_t channels);
uint32_t gemmini_store_scaled_start(uint32_t sums, int8_t *target, int32_t pixels, int32_t channels,
                                    int32_t scale);

/* Wait for an operation; let the next operation of a queue be behind one of another queue. */
int32_t gemmini_load_wait(uint32_t ticket);
int32_t gemmini_load_after(uint32_t ticket);
int32_t gemmini_execute_wait(uint32_t ticket);
int32_t gemmini_execute_after(uint32_t ticket);
int32_t gemmini_store_wait(uint32_t ticket);
int32_t gemmini_store_after(uint32_t ticket);

/* As gemmini_store_scaled for a whole image, the maxima of windows of `window` rows and columns, which
   lie inside of the image. */
int32_t gemmini_store_pooled(uint32_t sums, int8_t *target, int32_t rows, int32_t columns,
                             int32_t channels, int32_t window, int32_t stride, int32_t scale);

#ifdef __cplusplus
}
#endif

#endif /* FOREBAY_GEMMINI_H */
