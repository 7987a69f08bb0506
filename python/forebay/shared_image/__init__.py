"""Several compiled networks in one image: one memory for each pool that they have in common.

    a/, b/  ->  CompiledProject  ->  SharedMemory, per pool  ->  planned  ->  one C project

`project` reads what `forebay compile` wrote, `memories` groups the pools by their name, `placement`
and `constants` plan each memory by `planning`, the others write the files. May import `codegen`,
`formats`, `network`, `planning` and `support`.

Internal: may change without notice.
"""
