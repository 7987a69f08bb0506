"""Cases whose expected results Forebay does not have, each with its reason."""

_SUM = "the mean of thousands of floats, which are summed one after the other"
_CORNERS = (
    "align_corners with scales: the expected result counts parts of elements of the result, "
    "onnxruntime and PyTorch count whole ones"
)

KNOWN: dict[str, str] = {
    "test_averagepool_2d_ceil_last_window_starts_on_pad": "expected with four decimals",
    "test_resize_downsample_scales_linear_align_corners": _CORNERS,
    "test_resize_downsample_scales_cubic_align_corners": _CORNERS,
    **{
        f"test_{kind}_NCd1d2d3d4d5_mean_weight{form}": _SUM
        for kind in ("nllloss", "sce")
        for form in ("", "_expanded", "_log_prob", "_log_prob_expanded")
    },
}
