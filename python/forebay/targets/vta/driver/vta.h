/* The driver of VTA for code that Forebay generates.

   Its functions append instructions of 128 bits to a buffer, with the dependency bits that order
   the three cores. The buffer is handed over with a FINISH behind it when the host waits for an
   operation, and when it is full. It needs no C library. */
#ifndef FOREBAY_VTA_H
#define FOREBAY_VTA_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Defined by the application -------------------------------------------------------------- */

/* Return the physical address of bytes that the device reads or writes. */
uint32_t vta_physical(const void *bytes);

/* Run `count` instructions of 16 bytes from a physical address, until FINISH or for at most
   `wait_cycles` cycles. Before that, let the device see what the host wrote; after that, the host
   what the device wrote. Return 0, or a code that the network's function returns. */
int32_t vta_device_run(uint32_t instructions, uint32_t count, uint32_t wait_cycles);

/* ---- Defined by the driver ------------------------------------------------------------------- */

/* Forget what the driver knows of the device: after other code has used it. */
void vta_reset(void);

/* Hand over all instructions that wait in the buffer. */
int32_t vta_flush(void);

/* An operation that ends with `_start` returns its ticket. Addresses in local memories count
   elements: 16 int8 of images, 16 x 16 int8 of weights, 16 int32 of sums. */

/* Load pixels of `blocks` elements with a border: of zeros by the pads of one LOAD, or of the
   element at `border`. Strides are in elements. */
uint32_t vta_load_image_start(const int8_t *x, const int8_t *border, uint32_t y, int32_t rows,
                              int32_t columns, int32_t row_stride, int32_t pixel_stride,
                              int32_t blocks, int32_t top, int32_t bottom, int32_t left,
                              int32_t right, int32_t pads);

/* Load `bytes` of weights for each iteration of three loops; source strides are in bytes. */
uint32_t vta_load_weights_start(const void *source, uint32_t target, uint32_t extent0,
                                uint32_t source_stride0, uint32_t target_stride0, uint32_t extent1,
                                uint32_t source_stride1, uint32_t target_stride1, uint32_t extent2,
                                uint32_t source_stride2, uint32_t target_stride2, uint32_t bytes);

/* Load `blocks` elements of biases for each pixel. */
uint32_t vta_load_bias_start(const int32_t *bias, uint32_t y, int32_t pixels, int32_t blocks);

/* Add the products of an image and weights to sums. */
uint32_t vta_multiply_start(uint32_t x, uint32_t w, uint32_t sums, int32_t rows, int32_t columns,
                            int32_t out_blocks, int32_t in_blocks, int32_t kernel_rows,
                            int32_t kernel_columns, int32_t stride_rows, int32_t stride_columns,
                            int32_t image_columns, int32_t image_blocks, int32_t weight_blocks,
                            int32_t dilation_rows, int32_t dilation_columns, int32_t depthwise,
                            int32_t image_first, int32_t weights_first);

/* Combine sums with an immediate: the minimum (0), maximum (1), sum (2), or a shift right (3). */
uint32_t vta_combine_start(uint32_t sums, int32_t op, int32_t immediate, int32_t elements);

/* Store the low bytes of sums. */
uint32_t vta_store_bytes_start(uint32_t sums, int8_t *y, int32_t elements);

/* Store each of the `bytes` low bytes of sums, and shift the sums between them. */
uint32_t vta_store_sums_start(uint32_t sums, int8_t *y, int32_t elements, int32_t bytes);

/* The same operations, complete when the function returns. */
int32_t vta_load_image(const int8_t *x, const int8_t *border, uint32_t y, int32_t rows,
                       int32_t columns, int32_t row_stride, int32_t pixel_stride, int32_t blocks,
                       int32_t top, int32_t bottom, int32_t left, int32_t right, int32_t pads);
int32_t vta_load_weights(const void *source, uint32_t target, uint32_t extent0,
                         uint32_t source_stride0, uint32_t target_stride0, uint32_t extent1,
                         uint32_t source_stride1, uint32_t target_stride1, uint32_t extent2,
                         uint32_t source_stride2, uint32_t target_stride2, uint32_t bytes);
int32_t vta_load_bias(const int32_t *bias, uint32_t y, int32_t pixels, int32_t blocks);
int32_t vta_multiply(uint32_t x, uint32_t w, uint32_t sums, int32_t rows, int32_t columns,
                     int32_t out_blocks, int32_t in_blocks, int32_t kernel_rows,
                     int32_t kernel_columns, int32_t stride_rows, int32_t stride_columns,
                     int32_t image_columns, int32_t image_blocks, int32_t weight_blocks,
                     int32_t dilation_rows, int32_t dilation_columns, int32_t depthwise,
                     int32_t image_first, int32_t weights_first);
int32_t vta_combine(uint32_t sums, int32_t op, int32_t immediate, int32_t elements);
int32_t vta_store_bytes(uint32_t sums, int8_t *y, int32_t elements);
int32_t vta_store_sums(uint32_t sums, int8_t *y, int32_t elements, int32_t bytes);

/* Complete an operation: hands the buffer over. Returns what vta_device_run returns. */
int32_t vta_load_wait(uint32_t ticket);
int32_t vta_compute_wait(uint32_t ticket);
int32_t vta_store_wait(uint32_t ticket);

/* Let the next operation of a core begin after the operation with this ticket. */
int32_t vta_load_after(uint32_t ticket);
int32_t vta_compute_after(uint32_t ticket);
int32_t vta_store_after(uint32_t ticket);

#ifdef __cplusplus
}
#endif

#endif /* FOREBAY_VTA_H */
