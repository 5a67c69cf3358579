"""Settings of all tests."""

from hypothesis import settings

settings.register_profile("rulenet", deadline=None)  # the first call of a kernel compiles it
settings.load_profile("rulenet")
