# What nanobind's stub generator does not see: names that PyErr_NewException and attr() add.
_core.__suffix__:
    __version__: str
    class Error(Exception):
        """The base class of all hloroof exceptions."""
    class InvalidInputError(Error, ValueError):
        """The text is not valid HLO, or an option does not match it."""
    class NotFoundError(Error, LookupError):
        """A device, instruction or file does not exist."""
    class IncompleteError(Error):
        """Something is unknown and strict=True was set."""
    class LimitError(Error):
        """The text exceeds a limit that protects against hostile input."""
