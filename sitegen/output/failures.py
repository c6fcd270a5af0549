"""What an operating system or a bucket refuses, told in sentences."""

from __future__ import annotations

import errno
import os

from sitegen.errors import OutputError

_FULL = (errno.ENOSPC, errno.EDQUOT)
_DENIED = (errno.EACCES, errno.EPERM)
_WITHOUT_CREDENTIALS = ("NoCredentialsError", "PartialCredentialsError", "ProfileNotFound", "TokenRetrievalError")


def as_output_error(error: OSError, path: str | os.PathLike[str]) -> OutputError:
    """The OutputError that says what went wrong with `path` and what to do."""
    match error.errno:
        case number if number in _FULL:
            text = "the disk is full; free some space and build again, what wasn't taken back is still there"
        case errno.EROFS:
            text = "the file system is read-only; build where your user may write"
        case number if number in _DENIED:
            text = "permission is denied; let your user write there, or build elsewhere"
        case errno.ENOTDIR:
            text = "a part of its path is a file where a folder is needed; move that file away"
        case errno.EISDIR:
            text = "a folder stands where a file is needed; move that folder away"
        case errno.ELOOP:
            text = "a part of its path is a symbolic link; sitegen doesn't write through links, so remove it"
        case errno.ENAMETOOLONG:
            text = "its name is too long for this file system; choose a shorter slug or output folder"
        case errno.EFBIG:
            text = "it is larger than this file system or a limit (ulimit -f) allows"
        case _:
            text = (error.strerror or str(error)).lower()
    return OutputError(f"{os.fspath(path)} can't be written: {text}.")


def as_store_error(error: Exception, url: str) -> OutputError:
    """The OutputError that says what went wrong with the bucket at `url` and what to do."""
    match error:
        case PermissionError():
            text = "it refuses this user; check the credentials (AWS_PROFILE or AWS_ACCESS_KEY_ID) and what they may do"
        case FileNotFoundError():
            text = "there is no such bucket; make it, or correct [output] directory"
        case OSError():
            text = f"it answered “{error.strerror or error}”"
        case _ if type(error).__name__ in _WITHOUT_CREDENTIALS:
            text = "no credentials were found; set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
        case _:
            text = f"it can't be reached ({error})"
    return OutputError(f"{url} can't be used: {text}.")
