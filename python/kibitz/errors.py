"""The one exception of the package. It needs neither the native module nor another package."""

from __future__ import annotations

__all__ = ["Error", "MissingPackage"]


class Error(Exception):
    """A call that cannot be carried out.

    ``code`` is stable and one of the API's where the API has one, such as ``illegal_move`` or ``bad_position``.
    Others are ``bad_value`` (a wrong argument), ``bad_plan``, ``missing_package`` and ``internal`` (a fault of
    kibitz). ``detail`` is a sentence for people.
    """

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(code, detail)
        self.code = code
        self.detail = detail

    def __str__(self) -> str:
        return f"{self.code}: {self.detail}"


class MissingPackage(Error, ImportError):
    """A package that this function needs is not installed; the message names the command that installs it."""

    def __init__(self, package: str, extra: str) -> None:
        detail = f"this needs the package {package}: pip install 'kibitz[{extra}]'"
        super().__init__("missing_package", detail)
        self.package = package
        self.extra = extra

    def __reduce__(self) -> tuple[type[MissingPackage], tuple[str, str]]:
        return type(self), (self.package, self.extra)
