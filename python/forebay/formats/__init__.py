"""The JSON documents that Forebay reads and writes: one file of `msgspec.Struct` types for each.

May import `forebay.errors` and `msgspec` only. Gives the types, `reading.read`, `writing.json_text`
and `writing.json_lines`, and JSON Schemas. Importing a document takes time, so modules that do not
always read or write one import it in the function that does.

Public as `forebay.api.formats`; the rest may change without notice.
"""
