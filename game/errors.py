"""The root of all errors that a person can mend."""


class InputError(ValueError):
    """Input that cannot be used. The text is one line: what was expected, what came, what to do.

    The command line prints it alone and exits with 2; any other exception is a fault of the program.
    """
