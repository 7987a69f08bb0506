"""The lowering of TOSA operators to `accel.reduce`: one file per kind of operator.

May import `ir`. Gives one function per operator; passes call it at an insertion point.

Internal: may change without notice.
"""
