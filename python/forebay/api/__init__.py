"""The public interface: what targets, passes and planners of users' own import.

`forebay` itself compiles a model. The modules here re-export the classes and functions that code
of users' own needs, and nothing else; `docs/api.md` lists all names. Every other package is
internal. Importing `forebay.api` imports none of its modules.
"""
