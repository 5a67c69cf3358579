"""The errors that rulenet raises: one base, few kinds."""


class RuleNetError(Exception):
    """Anything rulenet raises on purpose."""


class TableError(RuleNetError, ValueError):
    """A table, a label column or a weight column that cannot be used as it is."""


class TableTypeError(TableError, TypeError):
    """A table, or a cell of it, of a type that cannot be used."""


class NetworkError(RuleNetError, ValueError):
    """Weights that do not form a network."""


class ParameterError(RuleNetError, ValueError):
    """A parameter outside its range."""


class FormulaError(RuleNetError, ValueError):
    """A formula that is not well formed, or too large for what was asked."""


class ModelFileError(RuleNetError, ValueError):
    """A file that is no model, or a model that cannot be written."""


class DataUnavailableError(RuleNetError, OSError):
    """A data set that is neither in a local folder nor to be fetched."""
