"""The asynchronous client. The synchronous one is written from it by scripts/client-types."""
