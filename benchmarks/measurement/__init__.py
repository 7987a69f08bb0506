"""What the scripts share: networks, tables, and the processes that they measure.

The scripts in the folder above and in its other folders import these modules. `compile_once` and
`contenders` are started in processes of their own.
"""
