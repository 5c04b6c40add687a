"""Generates the types and the table of operations of `kibitz.client` from the server's /openapi.json, and the synchronous
client from the asynchronous one."""
