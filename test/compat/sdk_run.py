"""Runs one part of what is tried with the SDK, and writes down which calls it made, for the test that says which ones
nobody has made. Called with the name of the part; SDK_SEEN names the file."""

import os
import sys

import sdk_more
import sdk_parts
import sdk_storage
from sdk_parts import client


def note(request):
    with open(os.environ["SDK_SEEN"], "a", encoding="utf-8") as seen:
        seen.write(f"{request.method} {request.url.path}\n")


client._client.event_hooks["request"].append(note)

PARTS = {**sdk_parts.PARTS, **sdk_more.PARTS, **sdk_storage.PARTS}

if __name__ == "__main__":
    PARTS[sys.argv[1]]()
    print("done")
