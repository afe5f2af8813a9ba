"""Every error and warning the package raises, under one root class."""


class PugamError(Exception):
    """The root of all errors raised on purpose by pugam."""


class InputError(PugamError, ValueError):
    """Data or arguments that cannot be used; the message says what, where and what to do."""


class FormulaError(InputError):
    """A formula that cannot be read; the message points at the character."""


class NotIdentifiableError(InputError):
    """A model in which the data cannot determine pi, whatever their size."""


class PugamWarning(UserWarning):
    """Something the user should know about the data or the fit, with a remedy."""
