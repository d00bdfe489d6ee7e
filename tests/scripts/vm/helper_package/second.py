from .first import value as v
from . import first
second_value = v + " seen by second"
