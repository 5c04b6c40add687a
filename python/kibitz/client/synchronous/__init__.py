# Written by scripts/client-types from asynchronous/__init__.py: change that file.
"""The synchronous client. The synchronous one is written from it by scripts/client-types."""
