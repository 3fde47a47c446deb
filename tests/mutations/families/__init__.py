"""The families; each module has a list `MUTATIONS`.

A mutation takes one defence away. `find` must stand exactly once in `file`;
when the code there changes, change the mutation with it.
"""
