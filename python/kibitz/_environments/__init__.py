"""The environments behind ``kibitz.envs``, which need packages that are optional."""
