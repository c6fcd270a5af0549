"""Gates: what stands between a reader and a share.

`encoding`, `keys`, `stream`, `envelope` and `identity` are pure functions of bytes; `vault` finds secrets where their
owner keeps them, `strength` and `phrases` judge and make them, `credentials` turns them into ways in.
"""
