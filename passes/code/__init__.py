"""Passes behind the plan: functions per operator, loops, views of pools, LLVM."""
