"""State variables whose old rows move to make room for new ones.

It finds the windows of old and new rows (`windows`), chooses those that variables hold (`choice`,
`twins`), and rewrites the program (`rewrite`). May import the other packages of `forebay.ir`.

Internal: may change without notice.
"""
