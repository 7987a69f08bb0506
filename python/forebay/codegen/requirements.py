"""What generated C asks of a compiler, checked by the preprocessor."""

REQUIREMENTS = """\
#if INT_MAX < 2147483647
#error "this code computes in int, which must have 32 bits or more"
#endif
#if (-1 >> 1) != -1
#error "this code needs arithmetic right shifts"
#endif"""
