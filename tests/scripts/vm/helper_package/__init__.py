"""A package for 018_imports."""
print("helper_package starts", __name__, __package__)
from . import first
from .first import value
__all__ = ["first", "second"]
