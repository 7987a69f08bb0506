/* Reads a digit, smooths its picture with the second network in the same memory, reads both again.
   Returns 0 when what lies in the shared memory between two runs makes no difference. */
#include "digit.h"
#include "digits_int8.h"
#include "smooth.h"

#include <string.h>

#define LARGER(a, b) ((a) > (b) ? (a) : (b))

/* One memory for both: as large as the larger of the two needs, aligned as the stricter one asks.
   The linker puts its section where the board has room for it. */
FOREBAY_ALIGNED(LARGER(DIGITS_INT8_WORKSPACE_ALIGN, SMOOTH_WORKSPACE_ALIGN))
FOREBAY_SECTION(".bss.shared")
static uint8_t shared[LARGER(DIGITS_INT8_WORKSPACE_SIZE, SMOOTH_WORKSPACE_SIZE)];

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
    const digits_int8_pools for_digits = { .workspace = shared, .workspace_size = sizeof shared };
    const smooth_pools for_smooth = { .workspace = shared, .workspace_size = sizeof shared };
    int8_t first[DIGITS_INT8_SCORES_ELEMENTS];
    int8_t again[DIGITS_INT8_SCORES_ELEMENTS];
    int8_t of_smoothed[DIGITS_INT8_SCORES_ELEMENTS];
    int8_t smoothed[SMOOTH_SMOOTHED_ELEMENTS];

    if (digits_int8_run(&for_digits, digit_image, first) != DIGITS_INT8_OK ||
        smooth_run(&for_smooth, digit_image, smoothed) != SMOOTH_OK ||
        digits_int8_run(&for_digits, digit_image, again) != DIGITS_INT8_OK ||
        digits_int8_run(&for_digits, smoothed, of_smoothed) != DIGITS_INT8_OK) {
        return 1;
    }
    if (memcmp(first, again, sizeof first) != 0) {
        return 2;
    }
    return best_of(first) == digit_label && best_of(of_smoothed) == digit_label ? 0 : 3;
}
