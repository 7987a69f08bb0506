"""Operators of TOSA as `accel.reduce`: one file per kind of operator.

May import `ir`. Gives a function per operator, which passes call at an insertion point.
"""
