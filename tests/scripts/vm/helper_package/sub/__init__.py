from ..first import value
from ... import x
