"""serve.py MODULE HOST PORT [ARGUMENT ...]: serves the WSGI application of a module; it sees the arguments as its own."""
import importlib
import sys

import waitress

module, host, port, *arguments = sys.argv[1:]
sys.argv = [module, *arguments]
waitress.serve(importlib.import_module(module).application, host=host, port=int(port), threads=8, ident="")
