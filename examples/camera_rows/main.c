/* Classifies a digit that a camera hands over line by line. No memory holds the picture: the network
   asks for a row when it needs one. Returns 0 when the digit is right, also after a picture that broke
   off. */
#include "camera.h"
#include "digits_int8.h"

#define ROWS DIGITS_INT8_IMAGE_ROWS
#define PIXELS DIGITS_INT8_IMAGE_ELEMENTS_PER_ROW

/* Reads a line of grey levels, 0 to 255, and writes it as the network's int8. On a real board this
   waits for the interrupt at the end of the line; an RTOS waits for a semaphore. */
static int32_t read_line(void *context, int32_t row, int8_t *target)
{
    camera *const source = (camera *)context;
    uint8_t line[PIXELS];
    if (!camera_wait_for_line(source, row, line)) {
        return 1;
    }
    for (int32_t x = 0; x < PIXELS; ++x) {
        target[x] = (int8_t)(line[x] - 128);
    }
    return 0;
}

static int best_of(const int8_t *scores)
{
    int best = 0;
    for (int digit = 1; digit < DIGITS_INT8_SCORES_ELEMENTS; ++digit) {
        if (scores[digit] > scores[best]) {
            best = digit;
        }
    }
    return best;
}

int main(void)
{
    int8_t scores[DIGITS_INT8_SCORES_ELEMENTS];
    camera broken = { .lines = ROWS / 2, .served = 0 };
    camera whole = { .lines = ROWS, .served = 0 };
    const digits_int8_image_rows of_broken = { read_line, &broken };
    const digits_int8_image_rows of_whole = { read_line, &whole };

    if (digits_int8_run(&digits_int8_default_pools, &of_broken, scores) != DIGITS_INT8_ERROR_INPUT) {
        return 1;
    }
    if (digits_int8_run(&digits_int8_default_pools, &of_whole, scores) != DIGITS_INT8_OK) {
        return 2;
    }
    if (whole.served != ROWS) {
        return 3;
    }
    return best_of(scores) == digit_label ? 0 : 4;
}
