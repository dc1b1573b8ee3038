"""Runs parts of what is tried with the SDK, and writes down which calls they made, for the test that says which ones
nobody has made. Reads the names of parts, one a line; each runs in a fork of this process, which has loaded the SDK
already, and says in a line of JSON how it ended. SDK_SEEN names the file of calls."""

import contextlib
import fcntl
import io
import json
import os
import sys
import traceback

import sdk_more
import sdk_parts
import sdk_storage
from sdk_parts import client


def note(request):
    with open(os.environ["SDK_SEEN"], "a", encoding="utf-8") as seen:
        seen.write(f"{request.method} {request.url.path}\n")


client._client.event_hooks["request"].append(note)

PARTS = {**sdk_parts.PARTS, **sdk_more.PARTS, **sdk_storage.PARTS}


def run(part):
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            PARTS[part]()
            print("done")
        except BaseException:
            traceback.print_exc()
    return said.getvalue().strip()


def say(line):
    """Whole lines, though several parts may end at once."""
    with open(__file__, encoding="utf-8") as own:
        fcntl.flock(own, fcntl.LOCK_EX)
        left = f"{line}\n".encode()
        while left:
            left = left[os.write(1, left) :]


if __name__ == "__main__":
    for name in sys.stdin:
        part = name.strip()
        if os.fork() == 0:
            say(json.dumps({"part": part, "said": run(part)}))
            os._exit(0)
    with contextlib.suppress(ChildProcessError):
        while True:
            os.wait()
