/* Smooths each picture, reads its digit, and keeps the best scores: three networks in turn, in one
   memory. Returns 0 when all outputs are those of the networks alone. */
#include "image.h"
#include "pictures.h"

#include <string.h>

int main(void)
{
    int8_t smoothed[SMOOTH_SMOOTHED_ELEMENTS];
    int8_t scores[DIGITS_INT8_SCORES_ELEMENTS];
    int8_t best[BEST_SO_FAR_BEST_ELEMENTS];

    if (best_so_far_init(&best_so_far_default_pools) != BEST_SO_FAR_OK) {
        return 1;
    }
    for (int picture = 0; picture < PICTURES; ++picture) {
        if (smooth_run(&smooth_default_pools, pictures[picture], smoothed) != SMOOTH_OK ||
            digits_int8_run(&digits_int8_default_pools, smoothed, scores) != DIGITS_INT8_OK ||
            best_so_far_run(&best_so_far_default_pools, scores, best) != BEST_SO_FAR_OK) {
            return 2;
        }
        if (memcmp(smoothed, expected_smoothed[picture], sizeof smoothed) != 0 ||
            memcmp(scores, expected_scores[picture], sizeof scores) != 0 ||
            memcmp(best, expected_best[picture], sizeof best) != 0) {
            return 3;
        }
    }
    return 0;
}
